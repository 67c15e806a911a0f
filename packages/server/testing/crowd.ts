import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";

/** What the service promises to whoever sends a single text, whatever else goes on. */
const SINGLE_SEND_MS_MAX = 1_000;
const PAUSE_MS = 20;

/**
 * Sends single texts, one after the other, while the work lasts; each is answered within a second.
 * One may take longer: tests share their machine, which stands still at times, while work that
 * holds texts up does so again and again. Answers how many there were and the longest of them.
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
  const tookMs: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    const body = { from: BATCH_FROM, to: "+14155552671", body: `Single ${sends}` };
    const answer = await kit.request("POST", "/v1/messages", { body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    tookMs.push(performance.now() - startedAt);
    sends += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await over;
  const [slowestMs = 0, nextMs = 0] = tookMs.toSorted((a, b) => b - a);
  const said = `single texts took ${slowestMs.toFixed(0)} and ${nextMs.toFixed(0)} ms`;
  assert.ok(nextMs < SINGLE_SEND_MS_MAX, said);
  return { sends, slowestMs };
}
