import { IDEMPOTENCY_HOURS } from "@longwave/contract";
import type { IdempotencyClaim } from "./claim.ts";
import { setClaimExpiry } from "./sql.ts";
import {
  type IdempotencyDeps,
  releaseClaim,
  type Serialize,
  storeClaimAnswer,
  takeClaim,
} from "./store.ts";

const HOUR_MS = 3_600_000;
/** Longer than any such work takes. A key whose process died in the middle is free after it. */
const UNANSWERED_MS_MAX = 600_000;

/**
 * For work that calls outside, where no transaction may be open: the Idempotency-Key is claimed
 * first, then the work is done, then its answer is kept. Another request with the key meanwhile is
 * told that the first one is running; work that throws frees the key.
 */
export async function answerOnce<A extends { readonly status: number; readonly body: unknown }>(
  context: {
    readonly deps: IdempotencyDeps;
    readonly claim: IdempotencyClaim | null;
    readonly serialize: Serialize;
  },
  work: () => Promise<A>,
): Promise<A> {
  const { deps, claim, serialize } = context;
  if (!claim) return work();
  const expireAt = (ms: number) => [
    claim.shard,
    claim.accountId,
    claim.mode,
    claim.keyHash,
    new Date(ms),
  ];
  await deps.db.tx(async (tx) => {
    await takeClaim(deps, tx, claim);
    await tx.query(setClaimExpiry, expireAt(deps.clock.now() + UNANSWERED_MS_MAX));
  });
  let answer: A;
  try {
    answer = await work();
  } catch (error) {
    await deps.db.tx((tx) => releaseClaim(tx, claim));
    throw error;
  }
  await deps.db.tx(async (tx) => {
    const text = serialize(answer.status, answer.body);
    await storeClaimAnswer(deps, tx, claim, answer.status, text);
    await tx.query(setClaimExpiry, expireAt(deps.clock.now() + IDEMPOTENCY_HOURS * HOUR_MS));
  });
  return answer;
}
