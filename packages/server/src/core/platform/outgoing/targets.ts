/**
 * The operator's exceptions: private targets that may be reached in development and tests (LONGWAVE_ALLOW_TARGETS),
 * private receivers of webhooks in production (LONGWAVE_WEBHOOK_PRIVATE_TARGETS), and public ones that must not be (the installation's own addresses, for example).
 */
import { isIP } from "node:net";
import {
  type AddressCheck,
  type Cidr,
  canonicalAddress,
  cidrContains,
  parseCidr,
} from "./addresses.ts";

export type AllowTarget =
  | {
      readonly kind: "host";
      readonly host: string /** null: any port. */;
      readonly port: number | null;
    }
  | { readonly kind: "cidr"; readonly cidr: Cidr };

export type BlockTarget =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "cidr"; readonly cidr: Cidr };

export interface TargetRules {
  readonly allowTargets: readonly AllowTarget[];
  readonly blockTargets: readonly BlockTarget[];
  readonly checkAddress: AddressCheck;
}

const TARGETS_MAX = 100;

/** Reads a comma list of `host:port` and CIDR entries. Throws an Error with one line that names the problem. */
export function parseAllowTargets(text: string): AllowTarget[] {
  return entries(text).map((entry) => {
    const cidr = parseCidr(entry);
    if (cidr !== null) return { kind: "cidr", cidr };
    const target = parseHostAndPort(entry);
    if (target !== null) return { kind: "host", ...target };
    throw new Error(
      `"${entry}" is neither host:port (such as localhost:8080) nor a CIDR (such as 10.0.0.0/8)`,
    );
  });
}

/** Reads a comma list of `host` and `host:port`: private receivers of webhooks on the network of this installation. */
export function parsePrivateTargets(text: string): AllowTarget[] {
  return entries(text).map((entry) => {
    const target = parseHostAndPort(entry);
    if (target !== null) return { kind: "host", ...target };
    const host = parseHost(entry);
    if (host !== null) return { kind: "host", host, port: null };
    throw new Error(`"${entry}" is neither a host nor host:port (such as crm.internal:8080)`);
  });
}

/** Reads a comma list of host names, addresses and CIDR entries that must never be reached. */
export function parseBlockTargets(text: string): BlockTarget[] {
  return entries(text).map((entry) => {
    const cidr = parseCidr(isIP(entry) === 0 ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`);
    if (cidr !== null) return { kind: "cidr", cidr };
    const host = entry.includes(":") ? null : parseHost(entry);
    if (host !== null) return { kind: "host", host };
    throw new Error(
      `"${entry}" is neither a host name, an IP address nor a CIDR (such as 10.0.0.0/8)`,
    );
  });
}

/**
 * The host of a parsed URL in canonical form: no brackets around IPv6, no trailing dot, and one spelling per address,
 * so that `[::ffff:7f00:1]` is 127.0.0.1.
 */
export function canonicalHost(urlHostname: string): string {
  const bare = urlHostname.startsWith("[") ? urlHostname.slice(1, -1) : urlHostname;
  return canonicalAddress(bare) ?? (bare.endsWith(".") ? bare.slice(0, -1) : bare);
}

export function isAllowedHost(
  targets: readonly AllowTarget[],
  host: string,
  port: number,
): boolean {
  return targets.some(
    (t) => t.kind === "host" && t.host === host && (t.port === null || t.port === port),
  );
}

export function isAllowedAddress(targets: readonly AllowTarget[], address: string): boolean {
  return targets.some((target) => target.kind === "cidr" && cidrContains(target.cidr, address));
}

export function isBlockedHost(targets: readonly BlockTarget[], host: string): boolean {
  return targets.some((target) => target.kind === "host" && target.host === host);
}

/**
 * Reason why this address must not be reached, or null. The operator's block list wins over the allow list, and the
 * allow list over the public rule. `hostAllowed`: the URL's host and port are on the allow list.
 */
export function addressProblem(
  rules: TargetRules,
  address: string,
  hostAllowed: boolean,
): string | null {
  const blocked = rules.blockTargets.some(
    (target) => target.kind === "cidr" && cidrContains(target.cidr, address),
  );
  if (blocked) return `${address} is on the operator's block list`;
  if (hostAllowed || isAllowedAddress(rules.allowTargets, address)) return null;
  return rules.checkAddress(address);
}

function entries(text: string): string[] {
  const list = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (list.length > TARGETS_MAX) {
    throw new Error(`${list.length} entries are given, at most ${TARGETS_MAX} are read`);
  }
  return list;
}

function parseHostAndPort(entry: string): { host: string; port: number } | null {
  const match = /^(.+):(\d{1,5})$/.exec(entry);
  const [, hostText, portText] = match ?? [];
  if (hostText === undefined || portText === undefined) return null;
  const port = Number(portText);
  const host = parseHost(hostText);
  return host === null || port < 1 || port > 65_535 ? null : { host, port };
}

/** Parses through the URL parser, so that an entry and a customer's URL have the same spelling when compared. */
function parseHost(text: string): string | null {
  if (/[/\\?#@\s]/.test(text)) return null;
  try {
    const { hostname, port } = new URL(`https://${text}`);
    return hostname === "" || port !== "" ? null : canonicalHost(hostname);
  } catch {
    return null;
  }
}
