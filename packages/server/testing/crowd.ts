import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";

/** What the service promises to whoever sends a single text, whatever else goes on. */
const SINGLE_SEND_MS_MAX = 1_000;
const PAUSE_MS = 20;

/**
 * Sends single texts, one after the other, while the work lasts; each is answered within a second.
 * Answers how many there were and the longest of them.
 */
export async function sendMeanwhile(
  kit: Kit,
  work: Promise<unknown>,
): Promise<{ sends: number; slowestMs: number }> {
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
  assert.ok(slowestMs < SINGLE_SEND_MS_MAX, `a single text took ${slowestMs.toFixed(0)} ms`);
  return { sends, slowestMs };
}
