import { isIP } from "node:net";
import { Problem, parseTimestamp, TIMESTAMP_FORM } from "@longwave/contract";
import type { Clock } from "../../core/platform/clock.ts";
import { parseCidr } from "../../core/platform/outgoing/addresses.ts";

/** Networks of a request as CIDR blocks; a single address is a block of one. */
export function parseNetworks(given: readonly string[] | undefined | null): string[] | null {
  if (!given) return null;
  return given.map((text, index) => {
    const address = text.trim();
    const bits = { 4: "/32", 6: "/128" }[isIP(address)] ?? "";
    const cidr = parseCidr(address + bits);
    if (cidr !== null) return cidr.text;
    throw new Problem(
      "invalid_request",
      `${text} is no IP address or network. Write 203.0.113.7 or 203.0.113.0/24.`,
      { param: `allowed_ips[${index}]` },
    );
  });
}

/** Time at which a new key ends; it must lie ahead. */
export function parseExpiry(
  clock: Clock,
  given: string | number | undefined | null,
): number | null {
  if (given === undefined || given === null) return null;
  const atMs = parseTimestamp(given);
  if (atMs !== null && atMs > clock.now()) return atMs;
  const fault = atMs === null ? `must be ${TIMESTAMP_FORM}` : "must lie in the future";
  throw new Problem("invalid_request", `expires_at ${fault}.`, { param: "expires_at" });
}
