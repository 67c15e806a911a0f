import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_CHARS_MAX, Problem } from "@longwave/contract";
import type { Caller } from "../accounts/account-row.ts";
import type { Step, Tx } from "../db/database.ts";
import { LOCK_NOT_AVAILABLE, sqlStateOf } from "../db/failures.ts";
import { statement } from "../db/statement.ts";
import type { Deps } from "../deps.ts";

/** The operator's keys live beside the accounts', under an account that cannot exist. */
const OPERATOR_OWNER = {
  shard: 0,
  accountId: "00000000-0000-0000-0000-000000000000",
  mode: "operator",
};
const HOUR_MS = 3_600_000;

/** What a request's Idempotency-Key claims: one piece of work of one caller. */
export interface IdempotencyClaim {
  readonly shard: number;
  readonly accountId: string;
  readonly mode: string;
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
  readonly encrypted: boolean;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

interface ClaimRow {
  fingerprint: Buffer;
  object_id: string | null;
  status: number | null;
  response: Buffer | null;
  encrypted: boolean;
}

const findClaim = statement(
  "find_idempotency_key",
  `select fingerprint, object_id, status, response, encrypted from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4 and expires_at > $5`,
);

// A claim that has expired is taken over; one that has not makes the insert return nothing. While
// another transaction holds the claim uncommitted, this waits for it.
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
  `update idempotency_keys set status = $5, response = $6, encrypted = $7
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

const sweepKeys = statement(
  "sweep_idempotency_keys",
  `with expired as (
     select account_id, mode, key_hash from idempotency_keys
      where shard = $1 and expires_at <= $2 order by expires_at limit $3
      for update skip locked
   )
   delete from idempotency_keys k using expired e
    where k.shard = $1 and k.account_id = e.account_id and k.mode = e.mode
      and k.key_hash = e.key_hash
   returning 1 as swept`,
);

/** Deletes claims that have expired, at most so many; answers how many. */
export async function sweepIdempotencyKeys(
  deps: Deps,
  shard: number,
  rowsMax: number,
): Promise<number> {
  const rows = await deps.db.query(sweepKeys, [shard, new Date(deps.clock.now()), rowsMax]);
  return rows.length;
}

const deleteClaim = statement(
  "delete_idempotency_key",
  `delete from idempotency_keys
    where shard = $1 and account_id = $2 and mode = $3 and key_hash = $4`,
);

/** Reads the header; null without one. */
export function claimOf(
  request: IncomingMessage,
  caller: Caller,
  path: string,
  body: unknown,
  encrypted: boolean,
): IdempotencyClaim | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (
    typeof key !== "string" ||
    key.length === 0 ||
    key.length > IDEMPOTENCY_KEY_CHARS_MAX ||
    !/^[\x20-\x7e]+$/.test(key)
  ) {
    throw new Problem(
      "invalid_request",
      `Idempotency-Key takes 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} printable ASCII characters.`,
      { param: "Idempotency-Key" },
    );
  }
  const owner =
    caller.kind === "operator"
      ? OPERATOR_OWNER
      : { shard: caller.account.shard, accountId: caller.account.id, mode: caller.mode };
  return {
    ...owner,
    keyHash: createHash("sha256").update(key).digest(),
    fingerprint: createHash("sha256")
      .update(`${request.method}\n${path}\n${canonicalJson(body)}`)
      .digest(),
    encrypted,
  };
}

/** JSON with sorted keys, so that key order makes no difference. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return value === undefined ? "null" : JSON.stringify(value);
}

/** What an earlier request with this key did: its answer, or the object it made, or nothing yet. */
export async function findEarlier(
  deps: Deps,
  claim: IdempotencyClaim,
): Promise<{ answer: StoredAnswer | null; objectId: string | null } | null> {
  const [row] = await deps.db.query<ClaimRow>(findClaim, [
    claim.shard,
    claim.accountId,
    claim.mode,
    claim.keyHash,
    new Date(deps.clock.now()),
  ]);
  if (!row) return null;
  if (!row.fingerprint.equals(claim.fingerprint)) {
    throw new Problem(
      "idempotency_conflict",
      "This Idempotency-Key was used for another request. Use a new key for a new request.",
    );
  }
  if (row.status === null || row.response === null)
    return { answer: null, objectId: row.object_id };
  const body = row.encrypted ? deps.secrets.decrypt(row.response) : row.response.toString("utf8");
  return { answer: { status: row.status, body }, objectId: row.object_id };
}

/** Thrown inside a transaction whose key another request has claimed: the work is undone. */
export class AlreadyClaimed extends Error {}

/** Only successes are kept for replays; everything else frees the key. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Takes the key for the caller's transaction. While another transaction holds it this waits, and
 * then throws AlreadyClaimed when that one committed.
 */
export async function takeClaim(deps: Deps, tx: Tx, claim: IdempotencyClaim): Promise<void> {
  const now = deps.clock.now();
  const values = [
    claim.shard,
    claim.accountId,
    claim.mode,
    claim.keyHash,
    claim.fingerprint,
    new Date(now),
    new Date(now + IDEMPOTENCY_HOURS * HOUR_MS),
  ];
  try {
    const rows = await tx.query(insertClaim, values);
    if (rows.length === 0) throw new AlreadyClaimed();
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) throw inProgress();
    throw error;
  }
}

/**
 * The same for the claims of a group, whose statements need not wait for each other; tells of each
 * whether it was free. Of two claims of one key the first gets it.
 */
export async function takeClaims(
  deps: Deps,
  tx: Tx,
  claims: readonly (IdempotencyClaim | null)[],
): Promise<boolean[]> {
  const taken = await Promise.allSettled(
    claims.map((claim) => claim && takeClaim(deps, tx, claim)),
  );
  return taken.map((one) => {
    if (one.status === "rejected" && !(one.reason instanceof AlreadyClaimed)) throw one.reason;
    return one.status === "fulfilled";
  });
}

/** Keeps the answer for replays; a secret one is encrypted. */
export async function storeClaimAnswer(
  deps: Deps,
  tx: Tx,
  claim: IdempotencyClaim,
  status: number,
  body: string,
): Promise<void> {
  const step = claimAnswerStep(deps, claim, status, body);
  await tx.query(step.statement, step.values);
}

export function claimAnswerStep(
  deps: Deps,
  claim: IdempotencyClaim,
  status: number,
  body: string,
): Step {
  const response = claim.encrypted ? deps.secrets.encrypt(body) : Buffer.from(body);
  const { shard, accountId, mode, keyHash, encrypted } = claim;
  const values = [shard, accountId, mode, keyHash, status, response, encrypted];
  return { statement: storeAnswer, values };
}

/** Frees the key in the transaction that took it. */
export async function releaseClaim(tx: Tx, claim: IdempotencyClaim): Promise<void> {
  const step = claimReleaseStep(claim);
  await tx.query(step.statement, step.values);
}

export function claimReleaseStep(claim: IdempotencyClaim): Step {
  const values = [claim.shard, claim.accountId, claim.mode, claim.keyHash];
  return { statement: deleteClaim, values };
}

export function inProgress(): Problem {
  return new Problem(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Try again in a moment.",
    { headers: { "retry-after": "1" } },
  );
}
