import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";
import { watchRoundTrips } from "./round-trips.ts";

/** What the service promises on an idle machine to whoever sends a single text, whatever else goes on. */
const SINGLE_SEND_MS_MAX = 1_000;
/** A busy machine may take so many of its own round trips longer. */
const ROUND_TRIPS = 50;
const SINGLE = "Single";
const PAUSE_MS = 20;

/** What became of the single texts that were sent beside a crowd. */
export interface Met {
  /** How many there were. */
  readonly sends: number;
  readonly slowestMs: number;
  /** How long one may have taken, as busy as the machine was. */
  readonly allowedMs: number;
  /** How many texts of the crowd were made at most while one of them waited for its answer. */
  readonly overtakenBy: number;
}

interface Single {
  readonly fromMs: number;
  readonly toMs: number;
  readonly tookMs: number;
}

/**
 * Sends single texts, one after the other, while a crowd is worked through. The first goes before the
 * crowd: what a server does once, at its first text, is not the crowd's doing.
 */
export async function sendMeanwhile(kit: Kit, crowd: () => Promise<unknown>): Promise<Met> {
  await sendSingle(kit);
  const roundTripMs = watchRoundTrips(kit);
  let isOver = false;
  const over = crowd().finally(() => {
    isOver = true;
  });
  const singles: Single[] = [];
  while (!isOver) {
    singles.push(await sendSingle(kit));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await over;
  const busyMs = await roundTripMs();
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
    allowedMs: SINGLE_SEND_MS_MAX + ROUND_TRIPS * busyMs,
    overtakenBy: Math.max(0, ...overtaken),
  };
}

/** Within a second, and beside a crowd of so many not behind half of it. */
export function assertNotHeldUp({ slowestMs, allowedMs, overtakenBy }: Met, crowd: number): void {
  const told = `a single text took ${slowestMs.toFixed(0)} ms, ${allowedMs.toFixed(0)} allowed`;
  assert.ok(slowestMs < allowedMs, told);
  assert.ok(overtakenBy < crowd / 2, `a single text was overtaken by ${overtakenBy} of ${crowd}`);
}

/** By the clock: for a machine that does nothing else. */
export function assertWithinASecond({ slowestMs }: Met): void {
  assert.ok(slowestMs < SINGLE_SEND_MS_MAX, `a single text took ${slowestMs.toFixed(0)} ms`);
}

async function sendSingle(kit: Kit): Promise<Single> {
  const fromMs = kit.deps.clock.now();
  const startedAt = performance.now();
  const body = { from: BATCH_FROM, to: "+14155552671", body: SINGLE };
  const answer = await kit.request("POST", "/v1/messages", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { fromMs, toMs: kit.deps.clock.now(), tookMs: performance.now() - startedAt };
}
