import assert from "node:assert/strict";
import { BATCH_FROM } from "./batches.ts";
import type { Kit } from "./kit.ts";

/** What the service promises to whoever sends a single text, whatever else goes on. */
const SINGLE_SEND_MS_MAX = 1_000;
const PAUSE_MS = 20;

/**
 * Sends single texts, one after the other, while a crowd is worked through; each is answered within a
 * second. The first goes before the crowd: what a server does once, at its first text, is not the
 * crowd's doing. Answers how many there were beside the crowd and the longest of them.
 */
export async function sendMeanwhile(
  kit: Kit,
  crowd: () => Promise<unknown>,
): Promise<{ sends: number; slowestMs: number }> {
  await sendSingle(kit);
  let isOver = false;
  const over = crowd().finally(() => {
    isOver = true;
  });
  let sends = 0;
  let slowestMs = 0;
  while (!isOver) {
    slowestMs = Math.max(slowestMs, await sendSingle(kit));
    sends += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await over;
  assert.ok(slowestMs < SINGLE_SEND_MS_MAX, `a single text took ${slowestMs.toFixed(0)} ms`);
  return { sends, slowestMs };
}

/** Answers how long it took. */
async function sendSingle(kit: Kit): Promise<number> {
  const startedAt = performance.now();
  const body = { from: BATCH_FROM, to: "+14155552671", body: "Single" };
  const answer = await kit.request("POST", "/v1/messages", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return performance.now() - startedAt;
}
