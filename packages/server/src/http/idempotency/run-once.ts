import type { Tx } from "../../core/db/driver/database.ts";
import { CommitUnknown } from "../../core/db/driver/failures.ts";
import { assert, expect } from "../../core/platform/assert.ts";
import { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";
import {
  AlreadyClaimed,
  ANSWER_RETENTION_MS,
  endClaim,
  findEarlier,
  type IdempotencyDeps,
  inProgress,
  type StoredAnswer,
  takeClaims,
} from "./claims.ts";
import type { IdempotencyClaim } from "./fingerprint.ts";

/**
 * Longest wait in the process's queue, in ms. After it the request runs, and the database reports the state of the
 * first one.
 */
const QUEUE_MS_MAX = 2_000;
const QUEUED_PER_KEY_MAX = 1_000;
/** Longest wait, in ms, for the outcome of a commit that is in doubt. */
const REREAD_MS_MAX = 1_000;
/** Lease of a claim whose work calls out, in ms: longer than the work takes, and over soon after a crash. */
const EXTERNAL_WORK_MS_MAX = 600_000;

/** An answer as an object, or as JSON if the handler serialised it. */
interface AnyAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text?: string;
}
type OnceAnswer = AnyAnswer & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** Serialises a body exactly as it is sent. */
type Serialize = (status: number, body: unknown) => string;

/** A claim and the serialiser that stores its answer; a handler's context is one. */
interface Claimed<C = IdempotencyClaim> {
  readonly deps: IdempotencyDeps;
  readonly claim: C;
  readonly serialize: Serialize;
}

/** Ways for a handler to claim the key of its request: `transact`, or in writes of its own. */
export interface OnceContext {
  /** The claim, for a handler that writes it together with its work. */
  takeOver(): IdempotencyClaim;
  transact<A extends AnyAnswer>(work: (tx: Tx) => Promise<A>): Promise<A>;
}

/** A function when the claim covers a file: the claim is known once the handler has read it. */
type ClaimSource = IdempotencyClaim | (() => Promise<IdempotencyClaim>);

export interface OnceOptions {
  readonly claim: ClaimSource;
  readonly serialize: Serialize;
  /** Throws a Problem if fields are invalid: field errors take precedence over key conflicts. */
  readonly checkFields?: () => void;
}

type Handle = (once: OnceContext) => Promise<AnyAnswer>;

/** Replays the answer of the request's key, or runs the handler and stores its answer. */
export type RunOnce = (options: OnceOptions, handle: Handle) => Promise<OnceAnswer>;

/**
 * Requests of this process with one key queue without a database connection. In the database each would wait for the
 * first one's claim, and 16 of them occupy every connection for transactions.
 */
export function createRunOnce(deps: IdempotencyDeps): RunOnce {
  const queue = new KeyedLimiter({
    concurrency: 1,
    waitingMax: QUEUED_PER_KEY_MAX,
    refuse: inProgress,
  });
  return async (options, handle) => {
    const { claim } = options;
    if (typeof claim === "function") return attempt(deps, options, null, handle);
    const release = await enter(queue, claim);
    try {
      return await attempt(deps, options, claim, handle);
    } finally {
      release();
    }
  };
}

async function enter(queue: KeyedLimiter, claim: IdempotencyClaim): Promise<() => void> {
  const { accountId, mode, keyHash } = claim;
  const key = `${accountId} ${mode} ${keyHash.toString("latin1")}`;
  if (!queue.isFull(key)) return queue.acquire(key);
  const signal = AbortSignal.timeout(QUEUE_MS_MAX);
  return queue.acquire(key, signal).catch((error: unknown) => {
    if (error === signal.reason) return () => {};
    throw error;
  });
}

async function attempt(
  deps: IdempotencyDeps,
  { claim: source, serialize, checkFields }: OnceOptions,
  known: IdempotencyClaim | null,
  handle: Handle,
): Promise<OnceAnswer> {
  let claim = known;
  if (claim) {
    const earlier = await findEarlier(deps, claim).catch((error: unknown) => {
      checkFields?.();
      throw error;
    });
    if (earlier?.answer) return replay(earlier.answer);
  }
  let isKept = false;
  const once: OnceContext = {
    takeOver() {
      isKept = true;
      return expect(claim, "the claim of a file is not known before it is read");
    },
    async transact(work) {
      assert(!isKept, "a request with an Idempotency-Key did its work in two transactions");
      claim ??= await (source as () => Promise<IdempotencyClaim>)();
      const answer = await transactOnce({ deps, claim, serialize }, work);
      isKept = true;
      return answer;
    },
  };
  try {
    const answer = await handle(once);
    // The handler changed nothing, or nothing inside a transaction.
    if (!isKept && isSuccess(answer.status)) await once.transact(async () => answer);
    return answer;
  } catch (error) {
    if (claim === null) throw error;
    return answerInstead(deps, claim, error);
  }
}

/** Claim, work and answer in one transaction. An unsuccessful answer releases the key. */
export function transactOnce<A extends AnyAnswer>(
  { deps, claim, serialize }: Claimed,
  work: (tx: Tx) => Promise<A>,
): Promise<A> {
  return deps.db.tx(async (tx) => {
    await takeClaim(deps, tx, claim);
    const answer = await work(tx);
    await tx.query(endClaim(deps, claim, storedAnswerOf(answer, serialize)));
    return answer;
  });
}

/**
 * Like `transactOnce`, for work that calls external services, where no transaction may stay open: the claim is one
 * commit, the answer another. A request with the key in between gets 409 `idempotency_in_progress`. Work that throws
 * releases the key; a crash in between releases it after UNANSWERED_MS_MAX.
 */
export async function claimThenWork<A extends AnyAnswer>(
  { deps, claim, serialize }: Claimed<IdempotencyClaim | null>,
  work: () => Promise<A>,
): Promise<A> {
  if (!claim) return work();
  await deps.db.tx((tx) => takeClaim(deps, tx, claim, EXTERNAL_WORK_MS_MAX));
  let answer: A;
  try {
    answer = await work();
  } catch (error) {
    await deps.db.tx((tx) => tx.query(endClaim(deps, claim, null)));
    throw error;
  }
  const kept = storedAnswerOf(answer, serialize);
  const until = new Date(deps.clock.now() + ANSWER_RETENTION_MS);
  await deps.db.tx((tx) => tx.query(endClaim(deps, claim, kept, until)));
  return answer;
}

async function takeClaim(
  deps: IdempotencyDeps,
  tx: Tx,
  claim: IdempotencyClaim,
  heldMs?: number,
): Promise<void> {
  const [isFree] = await takeClaims(deps, tx, [{ claim }], heldMs);
  if (!isFree) throw new AlreadyClaimed();
}

/** Only successes are stored for replays; other answers release the key. */
function storedAnswerOf(answer: AnyAnswer, serialize: Serialize): StoredAnswer | null {
  const { status, body } = answer;
  return isSuccess(status) ? { status, text: answer.text ?? serialize(status, body) } : null;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Answer when this request's work was not committed: the other request's answer, or the error. */
async function answerInstead(
  deps: IdempotencyDeps,
  claim: IdempotencyClaim,
  error: unknown,
): Promise<OnceAnswer> {
  if (error instanceof AlreadyClaimed) {
    const other = await findEarlier(deps, claim);
    if (other?.answer) return replay(other.answer);
    throw inProgress();
  }
  if (error instanceof CommitUnknown) {
    // Claim and work share a transaction: if the claim exists, so does the work, and this is its answer.
    const found = findEarlier(deps, claim).catch(() => null);
    const earlier = await Promise.race([found, deps.clock.sleep(REREAD_MS_MAX)]);
    if (earlier?.answer) return { ...earlier.answer, body: null };
  }
  throw error;
}

function replay(answer: StoredAnswer): OnceAnswer {
  return { ...answer, body: null, headers: { "idempotent-replayed": "true" } };
}
