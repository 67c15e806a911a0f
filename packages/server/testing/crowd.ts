import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";

/** What the service promises to whoever sends a single text, whatever else goes on. */
const SINGLE_SEND_MS_MAX = 1_000;
const PAUSE_MS = 20;

/** What a service does to single texts it does in every crowd; a busy machine stalls now and then. */
const CROWDS_MAX = 3;

export interface Meanwhile {
  readonly sends: number;
  readonly slowestMs: number;
  readonly crowds: number;
}

/**
 * Sends single texts, one after the other, while a crowd is worked through; each is answered within a
 * second, in one of three crowds at least. Answers how many texts there were and the longest of them.
 */
export async function sendMeanwhile(kit: Kit, crowd: () => Promise<unknown>): Promise<Meanwhile> {
  const slowest: string[] = [];
  for (let crowds = 1; crowds <= CROWDS_MAX; crowds++) {
    const met = await sendBeside(kit, crowd());
    if (met.slowestMs < SINGLE_SEND_MS_MAX) return { ...met, crowds };
    slowest.push(`${met.slowestMs.toFixed(0)} ms`);
  }
  assert.fail(`in each of ${CROWDS_MAX} crowds a single text took ${slowest.join(", ")}`);
}

async function sendBeside(kit: Kit, work: Promise<unknown>) {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let sends = 0;
  let slowestMs = 0;
  while (!isOver) {
    const startedAt = performance.now();
    const body = { from: BATCH_FROM, to: "+14155552671", body: `Single ${sends}` };
    const answer = await kit.request("POST", "/v1/messages", { body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    sends += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await over;
  return { sends, slowestMs };
}
