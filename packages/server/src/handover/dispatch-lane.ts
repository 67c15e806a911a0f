import { formatTimestamp } from "@longwave/contract";
import { isEverybody } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { assert } from "../platform/assert.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { HandoverDeps } from "./deps.ts";
import { runSteps } from "./follower.ts";
import { handOverAll } from "./hand-over.ts";
import type { MessageRow } from "./message.ts";
import { type Places, txWithPlaces } from "./places.ts";
import { OUTCOME_NEVER_KNOWN, settleIn } from "./settle.ts";
import {
  type Due,
  type DueMessage,
  refusal,
  type Sorted,
  settlementOf,
  sortDue,
} from "./sort-due.ts";
import {
  attemptsDue,
  claimDueAttempts,
  findDueAttempts,
  findDueMessages,
  forgetDueAttempts,
  giveUpAnswers,
  handOverAgain,
  lockAccounts,
  lockDueMessages,
  postponeMessages,
  setAsideAttempts,
} from "./sql.ts";

/** Rows of due attempts are taken as long as they name few texts; the first one always is. */
const ROWS_PER_CHUNK_MAX = 50;
const MESSAGES_PER_CHUNK_MAX = 500;
/** How long a message waits when its account is suspended, or when no link has a place for it. */
const SUSPENDED_WAIT_MS = 60_000;
const NO_PLACE_WAIT_MS = 200;
/**
 * What could not be dealt with is tried again after as long as it has been overdue, within these bounds.
 * It fails at last after about as long as a text whose carrier stays away.
 */
const SET_ASIDE_SECONDS_MIN = 1;
const SET_ASIDE_SECONDS_MAX = 3_600;
const GIVEN_UP_AFTER_MS = 3 * 3_600_000;
const NOT_HANDED_OVER = refusal("carrier_unavailable");

interface DueRow {
  readonly id: string;
  readonly message_ids: readonly string[];
}

/**
 * Messages whose next attempt, or whose decision after an unknown outcome, has come due. Every
 * check is made again in the transaction that commits the hand-over; the carrier is called after.
 */
export const dispatchLane: Lane<HandoverDeps> = {
  name: LANES.dispatch,
  loops: 2,
  nextDueAt: (deps) => earliestDue(deps, attemptsDue),
  async runDue(deps) {
    // Where the links are in another process, that one does all of it, and nobody stands in its way.
    if (isEverybody(deps.carriers.elsewhere())) return 0;
    let done = 0;
    for (const shard of await shardsDueNow(deps, attemptsDue))
      done += await dispatchChunk(deps, shard);
    return done;
  },
};

/** One text that cannot be dealt with must not hold up those that fell due with it. */
async function dispatchChunk(deps: HandoverDeps, shard: number): Promise<number> {
  try {
    return await dispatchTogether(deps, shard);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    deps.log.warn({ err: error }, "texts that fell due together failed; they are tried apart");
    return dispatchApart(deps, shard);
  }
}

async function dispatchTogether(deps: HandoverDeps, shard: number): Promise<number> {
  const { sorted, count } = await txWithPlaces(deps, async (tx, places) => {
    const now = deps.clock.now();
    const at = new Date(now);
    const due = fewOf(await tx.query<DueRow>(claimDueAttempts, [shard, at, ROWS_PER_CHUNK_MAX]));
    const ids = due.flatMap((row) => row.message_ids);
    const made = await dispatchIn(deps, tx, shard, ids, places, now);
    const done = due.map((row) => row.id);
    if (done.length > 0) await tx.query(forgetDueAttempts, [shard, at, done]);
    return { sorted: made, count: due.length };
  });
  await handOverSorted(deps, sorted);
  return count;
}

/**
 * The rows are not locked meanwhile: whoever else takes them finds what was moved in another state.
 * What cannot be dealt with even alone is set aside, and tried again ever more rarely.
 */
async function dispatchApart(deps: HandoverDeps, shard: number): Promise<number> {
  const at = new Date(deps.clock.now());
  const found = await deps.db.query<DueRow>(findDueAttempts, [shard, at, ROWS_PER_CHUNK_MAX]);
  const due = fewOf(found);
  const handing: Promise<void>[] = [];
  for (const { id, message_ids } of due) {
    const left = await dispatchSplitting(deps, shard, message_ids, handing);
    await deps.db.query(setAsideAttempts, [
      shard,
      at,
      id,
      left,
      SET_ASIDE_SECONDS_MIN,
      SET_ASIDE_SECONDS_MAX,
    ]);
  }
  await Promise.all(handing);
  return due.length;
}

/** Halves what fails until the cause stands alone; answers what nothing could be done about. */
async function dispatchSplitting(
  deps: HandoverDeps,
  shard: number,
  ids: readonly string[],
  handing: Promise<void>[],
): Promise<readonly string[]> {
  try {
    const sorted = await txWithPlaces(deps, (tx, places) =>
      dispatchIn(deps, tx, shard, ids, places, deps.clock.now()),
    );
    handing.push(handOverSorted(deps, sorted));
    return [];
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (ids.length <= 1) {
      deps.log.error({ err: error, message_id: ids[0] }, "nothing could be done about a text");
      return (await isGivenUp(deps, shard, ids)) ? [] : ids;
    }
    const middle = Math.ceil(ids.length / 2);
    const first = await dispatchSplitting(deps, shard, ids.slice(0, middle), handing);
    return [...first, ...(await dispatchSplitting(deps, shard, ids.slice(middle), handing))];
  }
}

/** A text that could not be dealt with for hours fails, if at least that can be written down. */
async function isGivenUp(
  deps: HandoverDeps,
  shard: number,
  ids: readonly string[],
): Promise<boolean> {
  const due = new Date(deps.clock.now() - GIVEN_UP_AFTER_MS);
  try {
    return await deps.db.tx(async (tx) => {
      const late = await tx.query<MessageRow>(findDueMessages, [shard, ids, due]);
      const settlements = late.map((row) =>
        settlementOf(row, row.is_out ? OUTCOME_NEVER_KNOWN : NOT_HANDED_OVER, row.attempts),
      );
      if (settlements.length > 0) await settleIn(deps, tx, shard, settlements);
      return settlements.length > 0;
    });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/** All that one transaction does about messages: each as it stands once it is locked. */
async function dispatchIn(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
  places: Places,
  now: number,
): Promise<Sorted> {
  const due = await lockDue(deps, tx, shard, ids, now);
  const sorted = await sortDue(deps, tx, shard, due, places, now);
  await writeSorted(deps, tx, shard, sorted, now);
  return sorted;
}

/** What comes of it after its commit. */
function handOverSorted(deps: HandoverDeps, sorted: Sorted): Promise<void> {
  if (sorted.withoutPlace.length > 0) {
    deps.wakes.wakeAt(LANES.dispatch, deps.clock.now() + NO_PLACE_WAIT_MS);
  }
  return handOverAll(deps, sorted.handOvers);
}

/** The others are left for the next chunk. */
function fewOf(rows: readonly DueRow[]): DueRow[] {
  let messages = 0;
  return rows.filter((row, index) => {
    messages += row.message_ids.length;
    return index === 0 || messages <= MESSAGES_PER_CHUNK_MAX;
  });
}

/**
 * The messages that are due. Locks are taken in the order that all take them in: what follows the
 * messages, their accounts, the messages themselves. After that nobody else moves them.
 */
async function lockDue(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  ids: readonly string[],
  now: number,
): Promise<Due> {
  const at = new Date(now);
  const found =
    ids.length === 0 ? [] : await tx.query<MessageRow>(findDueMessages, [shard, ids, at]);
  if (found.length === 0) return { messages: [], judged: new Map() };
  const judged = await deps.follower.judge(tx, shard, found, now);
  // Whoever opts somebody out holds the same lock: no text is handed over after that is committed.
  await tx.query(lockAccounts, [shard, [...new Set(found.map((row) => row.account_id))]]);
  const messages = await tx.query<DueMessage>(lockDueMessages, [
    shard,
    found.map((row) => row.id),
    at,
  ]);
  return { messages, judged };
}

async function writeSorted(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  sorted: Sorted,
  now: number,
): Promise<void> {
  if (sorted.settlements.length > 0) await settleIn(deps, tx, shard, sorted.settlements);
  if (sorted.handOvers.length > 0) await commitHandOvers(deps, tx, shard, sorted, now);
  await postpone(tx, shard, sorted.held, null);
  for (const [endMs, ids] of sorted.quiet) await postpone(tx, shard, ids, endMs);
  await postpone(tx, shard, sorted.suspended, now + SUSPENDED_WAIT_MS);
  await postpone(tx, shard, sorted.withoutPlace, now + NO_PLACE_WAIT_MS);
}

/** The point of no return: what is committed here is given to the carriers after. */
async function commitHandOvers(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  { handOvers, givenUp }: Sorted,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = handOvers.map(({ row }) => row);
  const items = handOvers.map(({ row, carrier }) => ({
    id: row.id,
    attempt: row.attempts,
    carrier: carrier.name,
    decided_at: row.next_attempt_at === null ? null : formatTimestamp(row.next_attempt_at),
    is_given_up: givenUp.has(row.id),
  }));
  if (givenUp.size > 0) await tx.query(giveUpAnswers, [shard, [...givenUp], at]);
  const ids = rows.map((row) => row.id);
  const handed = await tx.query(handOverAgain, [shard, JSON.stringify(items), at, ids]);
  assert(handed.length === rows.length, "a text that is out is not handed over again");
  await runSteps(tx, deps.follower.follow(shard, rows, now));
}

async function postpone(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  untilMs: number | null,
): Promise<void> {
  const until = untilMs === null ? null : new Date(untilMs);
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, until]);
}
