import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";
import { watchRoundTrips } from "./round-trips.ts";

/** Latency limit of a single send under any load, on an idle machine. */
const SINGLE_SEND_MS_MAX = 1_000;
/** Allowance for a busy machine, in its own round trips. */
const ROUND_TRIPS = 50;
const SINGLE = "Single";
const PAUSE_MS = 20;

/** Results of single sends during a bulk load. */
export interface SingleSends {
  /** Number of single sends. */
  readonly sends: number;
  readonly slowestMs: number;
  /** Latency limit, adjusted to the load of the machine. */
  readonly allowedMs: number;
  /** Maximum number of bulk messages created while one single send waited for its response. */
  readonly overtakenBy: number;
}

interface Single {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tookMs: number;
}

/**
 * Sends single messages one after the other while a bulk load runs. One send goes first, because a server's
 * first send includes one-time work.
 */
export async function sendMeanwhile(kit: Kit, bulk: () => Promise<unknown>): Promise<SingleSends> {
  await sendSingle(kit);
  const roundTripMs = watchRoundTrips(kit);
  let isOver = false;
  const bulkDone = bulk().finally(() => {
    isOver = true;
  });
  const singles: Single[] = [];
  while (!isOver) {
    singles.push(await sendSingle(kit));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await bulkDone;
  const roundTrip = await roundTripMs();
  const rows = await kit.rows(
    "select created_at from messages where account_id = $1 and body <> $2 order by created_at",
    [kit.account.id, SINGLE],
  );
  const made: number[] = rows.map((row) => row.created_at);
  const overtaken = singles.map(
    ({ fromMs, toMs }) => made.filter((at) => at >= fromMs && at <= toMs).length,
  );
  return {
    sends: singles.length,
    slowestMs: Math.max(0, ...singles.map(({ tookMs }) => tookMs)),
    allowedMs: SINGLE_SEND_MS_MAX + ROUND_TRIPS * roundTrip,
    overtakenBy: Math.max(0, ...overtaken),
  };
}

/** Checks the adjusted latency limit, and that less than half of the bulk overtook any single send. */
export function assertNotHeldUp(
  { slowestMs, allowedMs, overtakenBy }: SingleSends,
  bulk: number,
): void {
  const summary = `a single message took ${slowestMs.toFixed(0)} ms, ${allowedMs.toFixed(0)} allowed`;
  assert.ok(slowestMs < allowedMs, summary);
  assert.ok(overtakenBy < bulk / 2, `a single message was overtaken by ${overtakenBy} of ${bulk}`);
}

/** Checks the limit itself, on an otherwise idle machine. */
export function assertWithinASecond({ slowestMs }: SingleSends): void {
  assert.ok(slowestMs < SINGLE_SEND_MS_MAX, `a single message took ${slowestMs.toFixed(0)} ms`);
}

async function sendSingle(kit: Kit): Promise<Single> {
  const fromMs = kit.deps.clock.now();
  const startedAt = performance.now();
  const body = { from: BATCH_FROM, to: "+14155552671", body: SINGLE };
  const answer = await kit.request("POST", "/v1/messages", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { fromMs, toMs: kit.deps.clock.now(), tookMs: performance.now() - startedAt };
}
