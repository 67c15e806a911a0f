import type { Tx } from "../db/database.ts";
import { CommitUnknown } from "../db/failures.ts";
import { assert } from "../platform/assert.ts";
import type { IdempotencyClaim } from "./claim.ts";
import { standInLine } from "./line.ts";
import {
  AlreadyClaimed,
  findEarlier,
  type IdempotencyDeps,
  inProgress,
  isSuccess,
  releaseClaim,
  type Serialize,
  type StoredAnswer,
  storeClaimAnswer,
  takeClaim,
} from "./store.ts";

/** How long a request whose commit is in doubt waits to learn what became of it. */
const REREAD_MS_MAX = 1_000;

/** An answer, or the text of one: it was given before, or is made already. */
interface AnyAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text?: string;
}
type OnceAnswer = AnyAnswer & {
  readonly headers?: Readonly<Record<string, string>>;
};

export interface OnceOptions {
  readonly deps: IdempotencyDeps;
  readonly claim: IdempotencyClaim;
  readonly serialize: Serialize;
}

/** What a handler of a request with an Idempotency-Key works through. */
export interface OnceContext {
  /** Hands the claim to a handler that writes it itself, together with its work. */
  takeOver(): IdempotencyClaim;
  transact<A extends AnyAnswer>(work: (tx: Tx) => Promise<A>): Promise<A>;
}

export interface HandleOnceOptions extends OnceOptions {
  /** Throws what is wrong with the fields, which is said before anything is said of the key. */
  readonly checkFields: () => void;
}

/** Replays what the key has done before, or does it, or replays what another did meanwhile. */
export async function handleOnce(
  options: HandleOnceOptions,
  work: (once: OnceContext) => Promise<AnyAnswer>,
): Promise<OnceAnswer> {
  const leave = await standInLine(options.deps, options.claim);
  try {
    return await doOnce(options, work);
  } finally {
    leave();
  }
}

async function doOnce(
  options: HandleOnceOptions,
  work: (once: OnceContext) => Promise<AnyAnswer>,
): Promise<OnceAnswer> {
  const { deps, claim } = options;
  const earlier = await findEarlier(deps, claim).catch((error: unknown) => {
    // Whatever the key was used for had fields that are right.
    options.checkFields();
    throw error;
  });
  if (earlier?.answer) return replay(earlier.answer);
  let isKept = false;
  const transact = async <A extends AnyAnswer>(run: (tx: Tx) => Promise<A>): Promise<A> => {
    assert(!isKept, "a request with an Idempotency-Key did its work in two transactions");
    const answer = await transactOnce(options, run);
    isKept = true;
    return answer;
  };
  const takeOver = () => {
    isKept = true;
    return claim;
  };
  try {
    const answer = await work({ takeOver, transact });
    // A handler that changes nothing, or nothing that a transaction holds, leaves this to us.
    if (!isKept && isSuccess(answer.status)) await transactOnce(options, async () => answer);
    return answer;
  } catch (error) {
    return instead(options, error);
  }
}

/** What is answered where the work was not kept: what another request with the key did, or why not. */
async function instead(options: OnceOptions, error: unknown): Promise<OnceAnswer> {
  if (error instanceof AlreadyClaimed) {
    const other = await findEarlier(options.deps, options.claim);
    if (other?.answer) return replay(other.answer);
    throw inProgress();
  }
  const answer = error instanceof CommitUnknown ? await reread(options) : null;
  if (answer) return { status: answer.status, body: null, text: answer.body };
  throw error;
}

export interface FileOnceOptions extends Omit<OnceOptions, "claim"> {
  /** What the key claims: known once the file has been read. */
  readonly claim: () => Promise<IdempotencyClaim>;
}

/**
 * The same for work that reads a file: whether its key was used before is found out in the transaction
 * that would keep it, which is undone where it was.
 */
export async function handleFileOnce(
  { claim: claimed, ...options }: FileOnceOptions,
  work: (once: OnceContext) => Promise<AnyAnswer>,
): Promise<OnceAnswer> {
  let claim: IdempotencyClaim | null = null;
  const transact = async <A extends AnyAnswer>(run: (tx: Tx) => Promise<A>): Promise<A> => {
    assert(claim === null, "a request with an Idempotency-Key did its work in two transactions");
    claim = await claimed();
    return transactOnce({ ...options, claim }, run);
  };
  const takeOver = () => {
    throw new Error("the claim of a file is not known before it is read");
  };
  try {
    return await work({ takeOver, transact });
  } catch (error) {
    if (claim === null) throw error;
    return instead({ ...options, claim }, error);
  }
}

/** Runs the work with its claim in one transaction. An answer that is no success frees the key. */
async function transactOnce<A extends AnyAnswer>(
  { deps, claim, serialize }: OnceOptions,
  work: (tx: Tx) => Promise<A>,
): Promise<A> {
  return deps.db.tx(async (tx) => {
    await takeClaim(deps, tx, claim);
    const answer = await work(tx);
    if (isSuccess(answer.status)) {
      const text = answer.text ?? serialize(answer.status, answer.body);
      await storeClaimAnswer(deps, tx, claim, answer.status, text);
    } else {
      await releaseClaim(tx, claim);
    }
    return answer;
  });
}

/**
 * The connection broke during COMMIT, so whether the work was kept is not known. The claim was
 * part of it: if it is there, so is the work, and this is its answer.
 */
async function reread({ deps, claim }: OnceOptions): Promise<StoredAnswer | null> {
  const found = findEarlier(deps, claim).then(
    (earlier) => earlier?.answer ?? null,
    () => null,
  );
  return Promise.race([found, deps.clock.sleep(REREAD_MS_MAX).then(() => null)]);
}

function replay(answer: StoredAnswer): OnceAnswer {
  return {
    status: answer.status,
    body: null,
    text: answer.body,
    headers: { "idempotent-replayed": "true" },
  };
}
