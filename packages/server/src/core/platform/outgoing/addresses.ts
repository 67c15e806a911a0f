/**
 * Classifies IP addresses as public or not.
 *
 * Addresses are classified by value, never by spelling: every function here parses first. An IPv6 address that embeds
 * an IPv4 one (mapped or NAT64) counts as that IPv4 address, because packets go there.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Returns the reason why an address must not be reached, or null when it may be. */
export type AddressCheck = (address: string) => string | null;

export interface Cidr {
  readonly text: string;
  readonly base: ipaddr.IPv4 | ipaddr.IPv6;
  readonly bits: number;
}

const BLOCKED_V4: readonly (readonly [cidr: string, what: string])[] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignments"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  // Azure serves its platform agent and DNS from this public-looking address inside every virtual machine.
  ["168.63.129.16/32", "cloud platform"],
];

/** Global unicast. Everything outside is loopback, unique-local, link-local, multicast or unassigned. */
const GLOBAL_V6 = "2000::/3";

const BLOCKED_V6: readonly (readonly [cidr: string, what: string])[] = [
  ["2001::/23", "protocol assignments and Teredo"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["3fff::/20", "documentation"],
];

/** A NAT64 gateway sends packets for this prefix to the IPv4 address in the last 32 bits. */
const NAT64 = "64:ff9b::/96";

/** Parses `10.0.0.0/8` or `fd00::/8`; null when it is neither. */
export function parseCidr(text: string): Cidr | null {
  const [address, bits] = text.split("/");
  // ipaddr.js also reads `0x7f.1/8`; a security setting must be unambiguous.
  if (address === undefined || bits === undefined || isIP(address) === 0) return null;
  if (!ipaddr.isValidCIDR(text)) return null;
  const [base, length] = ipaddr.parseCIDR(text);
  return { text, base, bits: length };
}

export function cidrContains(cidr: Cidr, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && contains(cidr, parsed);
}

/** One spelling per address: IPv4-mapped IPv6 becomes IPv4, IPv6 is compressed. Null when it is no address. */
export function canonicalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

/** The rule for one address: it must be part of the public internet. */
export const checkPublicAddress: AddressCheck = (address) => {
  const parsed = parseAddress(address);
  if (parsed === null) return `${address} is not an IP address`;
  const what = notPublic(parsed);
  return what === null ? null : `${parsed.toString()} is not a public address (${what})`;
};

interface Rule {
  readonly cidr: Cidr;
  readonly what: string;
}

const blockedV4 = rules(BLOCKED_V4);
const blockedV6 = rules(BLOCKED_V6);
const globalV6 = requireCidr(GLOBAL_V6);
const nat64 = requireCidr(NAT64);

function notPublic(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  if (address instanceof ipaddr.IPv4) return firstMatch(blockedV4, address);
  if (contains(nat64, address)) return notPublic(embeddedV4(address));
  if (!contains(globalV6, address)) return "outside 2000::/3";
  return firstMatch(blockedV6, address);
}

function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return isIP(text) === 0 ? null : ipaddr.process(inHex(text));
}

/** `::7f00:1` for `::127.0.0.1`: ipaddr.js takes the dotted form for an IPv4-mapped address, which it is not. */
function inHex(text: string): string {
  const [, head, a, b, c, d] = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (head === undefined) return text;
  const pair = (high = "", low = ""): string => (Number(high) * 256 + Number(low)).toString(16);
  return `${head}${pair(a, b)}:${pair(c, d)}`;
}

function contains(cidr: Cidr, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === cidr.base.kind() && address.match(cidr.base, cidr.bits);
}

function firstMatch(
  candidates: readonly Rule[],
  address: ipaddr.IPv4 | ipaddr.IPv6,
): string | null {
  return candidates.find((rule) => contains(rule.cidr, address))?.what ?? null;
}

function rules(list: readonly (readonly [string, string])[]): Rule[] {
  return list.map(([text, what]) => ({ cidr: requireCidr(text), what }));
}

function requireCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new Error(`${text} is not a CIDR`);
  return cidr;
}
