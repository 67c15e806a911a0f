import { IDEMPOTENCY_HOURS, Problem } from "@longwave/contract";
import type { Database, Step, Tx } from "../db/database.ts";
import { LOCK_NOT_AVAILABLE, sqlStateOf } from "../db/failures.ts";
import type { Clock } from "../platform/clock.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { IdempotencyClaim } from "./claim.ts";
import { deleteClaim, findClaim, insertClaim, storeAnswer } from "./sql.ts";

/** What keeping claims needs. */
export interface IdempotencyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** The text of an answer's body, exactly as it is sent. */
export type Serialize = (status: number, body: unknown) => string;

const HOUR_MS = 3_600_000;

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

/** What an earlier request with this key did: its answer, or the object it made, or nothing yet. */
export async function findEarlier(
  deps: IdempotencyDeps,
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
export async function takeClaim(
  deps: IdempotencyDeps,
  tx: Tx,
  claim: IdempotencyClaim,
): Promise<void> {
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
  deps: IdempotencyDeps,
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
  deps: IdempotencyDeps,
  tx: Tx,
  claim: IdempotencyClaim,
  status: number,
  body: string,
): Promise<void> {
  const step = claimAnswerStep(deps, claim, status, body);
  await tx.query(step.statement, step.values);
}

export function claimAnswerStep(
  deps: IdempotencyDeps,
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
