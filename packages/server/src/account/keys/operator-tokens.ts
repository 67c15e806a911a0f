import { hash } from "node:crypto";
import type { Database } from "../../core/db/driver/database.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import { OPERATOR_TOKEN_PREFIX } from "../../core/platform/log.ts";
import type { Random } from "../../core/platform/random.ts";
import type { Operator } from "../../http/api/caller.ts";
import type { OperatorTokenFinder } from "../../http/auth/admission.ts";

/** Age in ms of a cached token, so that a change applies everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;
const TOKEN_BYTES = 24;
/** Anything else costs no query. */
const TOKEN_FORM = new RegExp(`^${OPERATOR_TOKEN_PREFIX}[0-9a-f]{${TOKEN_BYTES * 2}}$`);

/** Reading a token also notes its use, at most once a minute. */
const findOperatorToken = statement(
  "find_operator_token",
  `with used as (
     update operator_tokens set last_used_at = $2
      where sha256 = $1 and revoked_at is null
        and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
   )
   select id, name from operator_tokens where sha256 = $1 and revoked_at is null`,
);

interface Entry {
  readonly token: Operator["token"] | null;
  readonly readAtMs: number;
}

/** Named operator tokens, cached for a second. The table holds at most a few dozen that work. */
export function createOperatorTokens(
  db: Database,
  clock: Clock,
  notifications: Notifications,
): OperatorTokenFinder {
  const cache = new Map<string, Entry>();
  notifications.subscribe("longwave_cache", () => cache.clear());
  return {
    async find(token) {
      if (!TOKEN_FORM.test(token)) return null;
      const digest = hash("sha256", token, "base64");
      const cached = cache.get(digest);
      const readAtMs = clock.monotonic();
      if (cached && readAtMs - cached.readAtMs < CACHE_AGE_MS_MAX) return cached.token ?? null;
      const [row] = await db.query<{ id: string; name: string }>(findOperatorToken, [
        Buffer.from(digest, "base64"),
        new Date(clock.now()),
      ]);
      // Unknown tokens are not cached: an attacker could fill the memory with them.
      if (!row) return null;
      const found = { tokenId: row.id, tokenName: row.name };
      cache.set(digest, { token: found, readAtMs });
      return found;
    },
  };
}

export interface MintedToken {
  readonly token: string;
  readonly sha256: Buffer;
  readonly last4: string;
}

export function mintOperatorToken(random: Random): MintedToken {
  const token = `${OPERATOR_TOKEN_PREFIX}${random.bytes(TOKEN_BYTES).toString("hex")}`;
  return { token, sha256: hash("sha256", token, "buffer"), last4: token.slice(-4) };
}
