import { IDEMPOTENCY_HOURS, Problem } from "@longwave/contract";
import type { Database, Step, Tx } from "../../core/db/driver/database.ts";
import { LOCK_NOT_AVAILABLE, sqlStateOf } from "../../core/db/driver/failures.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { SecretOwner, Secrets } from "../../core/platform/secrets.ts";
import type { IdempotencyClaim } from "./fingerprint.ts";

export const ANSWER_RETENTION_MS = IDEMPOTENCY_HOURS * 3_600_000;

const findClaim = statement(
  "find_idempotency_key",
  `select fingerprint, object_id, status, response, encrypted from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4 and expires_at > $5`,
);

// Takes over an expired claim; returns no row for an unexpired one. Waits for a transaction that has the claim
// uncommitted.
const insertClaim = statement(
  "insert_idempotency_key",
  `insert into idempotency_keys as k
     (shard, account_id, mode, key_hash, fingerprint, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (shard, account_id, mode, key_hash) do update
     set fingerprint = excluded.fingerprint, created_at = excluded.created_at,
         expires_at = excluded.expires_at, object_id = null, status = null, response = null
   where k.expires_at <= excluded.created_at
   returning 1 as claimed`,
);

const storeAnswer = statement(
  "store_idempotent_answer",
  `update idempotency_keys
      set status = $5, response = $6, encrypted = $7, expires_at = coalesce($8, expires_at)
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

const deleteClaim = statement(
  "delete_idempotency_key",
  `delete from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

/** Dependencies of code that reads or writes claims. */
export interface IdempotencyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** A successful answer as sent, stored for replays. */
export interface StoredAnswer {
  readonly status: number;
  readonly text: string;
}

interface ClaimRow {
  fingerprint: Buffer;
  object_id: string | null;
  status: number | null;
  response: Buffer | null;
  encrypted: boolean;
}

/** Claim of an earlier request with this key: its answer, its object, or neither yet. */
export async function findEarlier(
  deps: IdempotencyDeps,
  claim: IdempotencyClaim,
): Promise<{ answer: StoredAnswer | null; objectId: string | null } | null> {
  const values = [...primaryKeyOf(claim), new Date(deps.clock.now())];
  const [row] = await deps.db.query<ClaimRow>(findClaim, values);
  if (!row) return null;
  if (!row.fingerprint.equals(claim.fingerprint)) {
    throw new Problem(
      "idempotency_conflict",
      "This Idempotency-Key was used for another request. Use a new key for a new request.",
    );
  }
  const { status, response, object_id: objectId } = row;
  if (status === null || response === null) return { answer: null, objectId };
  const text = row.encrypted
    ? deps.secrets.decrypt(response, ownerOf(claim))
    : response.toString("utf8");
  return { answer: { status, text }, objectId };
}

/** Another request has claimed the key: the transaction rolls back, and the stored answer is replayed. */
export class AlreadyClaimed extends Error {}

/**
 * Claims the keys of a group in the caller's transaction; returns per item whether its key was free (items without a
 * claim count as free). Waits while another transaction has a key. The first of two items with one key gets it.
 * `heldMs`: shorter than 24 hours when the answer follows in another transaction.
 */
export async function takeClaims(
  deps: IdempotencyDeps,
  tx: Tx,
  items: readonly { readonly claim: IdempotencyClaim | null }[],
  heldMs = ANSWER_RETENTION_MS,
): Promise<boolean[]> {
  const now = deps.clock.now();
  const times = [new Date(now), new Date(now + heldMs)];
  const taking = items.map(async ({ claim }) => {
    if (claim === null) return true;
    const values = [...primaryKeyOf(claim), claim.fingerprint, ...times];
    return (await tx.query(insertClaim, values)).length > 0;
  });
  // Every statement must end before the transaction does.
  const taken = await Promise.allSettled(taking);
  return taken.map((one) => {
    if (one.status === "fulfilled") return one.value;
    throw sqlStateOf(one.reason) === LOCK_NOT_AVAILABLE ? inProgress() : one.reason;
  });
}

/**
 * Statement that completes a claim: stores the answer for replays (encrypted if it holds a secret), or releases the key
 * without an answer. `expiresAt` extends a claim taken for less than 24 hours.
 */
export function endClaim(
  deps: IdempotencyDeps,
  claim: IdempotencyClaim,
  answer: StoredAnswer | null,
  expiresAt: Date | null = null,
): Step {
  const key = primaryKeyOf(claim);
  if (answer === null) return { statement: deleteClaim, values: key };
  const { status, text } = answer;
  const response = claim.encrypted ? deps.secrets.encrypt(text, ownerOf(claim)) : Buffer.from(text);
  return { statement: storeAnswer, values: [...key, status, response, claim.encrypted, expiresAt] };
}

function primaryKeyOf({ shard, accountId, mode, keyHash }: IdempotencyClaim): readonly unknown[] {
  return [shard, accountId, mode, keyHash];
}

/** The stored answer's row, as the owner of its secret. */
function ownerOf({ accountId, mode, keyHash }: IdempotencyClaim): SecretOwner {
  return ["idempotent-answer", `${accountId} ${mode} ${keyHash.toString("hex")}`];
}

export function inProgress(): Problem {
  return new Problem(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Try again in a moment.",
    { headers: { "retry-after": "1" } },
  );
}
