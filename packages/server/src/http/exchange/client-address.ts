import type { IncomingMessage } from "node:http";
import {
  type Cidr,
  canonicalAddress,
  cidrContains,
} from "../../core/platform/outgoing/addresses.ts";
import type { AddressOf } from "./exchange.ts";

const FORWARDED_ADDRESSES_MAX = 20;

/**
 * Address of the client: the peer, or, behind a trusted proxy, the last untrusted address in X-Forwarded-For. Addresses
 * further left are written by the client.
 */
export function createAddressOf(trustedProxies: readonly Cidr[]): AddressOf {
  const isTrusted = (address: string) =>
    trustedProxies.some((proxies) => cidrContains(proxies, address));
  return (request) => {
    const peer = plain(request.socket.remoteAddress ?? "");
    if (trustedProxies.length === 0 || !isTrusted(peer)) return peer;
    const header = request.headers["x-forwarded-for"] ?? "";
    const given = String(header).split(",").slice(-FORWARDED_ADDRESSES_MAX).reverse();
    let nearest = peer;
    for (const entry of given) {
      const address = canonicalAddress(entry.trim());
      if (address === null) return nearest;
      nearest = plain(address);
      if (!isTrusted(nearest)) return nearest;
    }
    return nearest;
  };
}

function plain(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/** Network of an address: a client with one IPv6 address usually has its whole /64. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":");
  const missing = address.includes("::") ? 8 - groups.length - tail.split(":").length : 0;
  const zeros = Array.from({ length: Math.max(0, missing) }, () => "0");
  return [...groups, ...zeros, ...tail.split(":")].slice(0, 4).join(":");
}

/** Whether the request comes from this machine, and not through a proxy on it. */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const peer = plain(request.socket.remoteAddress ?? "");
  const isLoopback = peer === "::1" || peer.startsWith("127.");
  const { headers } = request;
  const isForwarded = ["x-forwarded-for", "forwarded", "via", "x-real-ip"].some(
    (name) => headers[name] !== undefined,
  );
  return isLoopback && !isForwarded;
}
