import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isWellFormedKey, Problem } from "@longwave/contract";
import type { Principal } from "../api/caller.ts";
import type { KeysDeps } from "../keys/deps.ts";

const KEY_CHARS_MAX = 200;
const CURRENT_PREFIXES = ["svc_sk_test_", "svc_sk_live_"];
const OLDER_PREFIXES = ["sk_test_", "sk_live_"];

/** The same answer for every way of not having a key, so that none can be told from another. */
export function unauthorized(): Problem {
  return new Problem(
    "invalid_api_key",
    "Send a valid key: Authorization: Bearer svc_sk_test_… (or svc_sk_live_…).",
    { headers: { "www-authenticate": "Bearer" } },
  );
}

/** The caller a request's key belongs to. Malformed keys cost no database query. */
export function authenticate(
  deps: KeysDeps,
  request: IncomingMessage,
): Principal | Promise<Principal> {
  const key = bearerOf(request);
  if (key.length === 0 || key.length > KEY_CHARS_MAX) throw unauthorized();
  const known = deps.keys.remembered(key);
  if (known) return known;
  if (!isPlausible(key)) throw unauthorized();
  return deps.keys.find(key).then(orUnauthorized);
}

/** Whether the request carries the operator's token. */
export function authenticateOperator(operatorToken: string, request: IncomingMessage): void {
  const given = createHash("sha256").update(bearerOf(request)).digest();
  const wanted = createHash("sha256").update(operatorToken).digest();
  if (!timingSafeEqual(given, wanted)) {
    throw new Problem("invalid_api_key", "Send the operator token: Authorization: Bearer ….", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
}

function orUnauthorized(principal: Principal | null): Principal {
  if (!principal) throw unauthorized();
  return principal;
}

function bearerOf(request: IncomingMessage): string {
  const header = request.headers.authorization ?? "";
  return /^bearer /i.test(header) ? header.slice("bearer ".length) : "";
}

function isPlausible(key: string): boolean {
  if (CURRENT_PREFIXES.some((prefix) => key.startsWith(prefix))) return isWellFormedKey(key);
  return OLDER_PREFIXES.some((prefix) => key.startsWith(prefix)) && /^[\x21-\x7e]+$/.test(key);
}
