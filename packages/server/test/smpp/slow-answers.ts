import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCEPTED } from "@longwave/smpp/smsc";
import { phones } from "../../testing/batches.ts";
import { startSmppStage } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { assertOnce, assertPaid, sendCrowd } from "./live-batch.ts";

export interface SlowPlan {
  readonly texts: number;
  readonly window: number;
  readonly rate: number;
  readonly answerDelayMs: number;
  /** When a submit counts as unanswered: before the answers come. */
  readonly answerSeconds: number;
  /** How many are out without an answer at one time, at least. */
  readonly outMin: number;
  readonly msMax: number;
}

/**
 * Every answer comes later than it is waited for, as when a carrier throttles by being slow. No text
 * is submitted again, the window is never exceeded, and each late answer settles its text.
 */
export async function answerSlowly(t: TestContext, plan: SlowPlan): Promise<void> {
  const { window, rate, answerDelayMs, texts } = plan;
  const stage = await startSmppStage(
    t,
    { behave: () => ({ ...ACCEPTED, answerDelayMs, receipt: null }) },
    { window, rate, answer_seconds: plan.answerSeconds },
  );
  await sendCrowd(stage, phones(texts));
  const sent = async () =>
    (await stage.kit.rows("select count(*)::int as n from messages where status = 'sent'"))[0].n;
  await until(async () => (await sent()) === texts, plan.msMax);
  assertOnce(stage, window);
  const most = stage.smsc.journal.mostOutstanding();
  assert.ok(most >= plan.outMin, `${most} were out at most: slow answers hold up the others`);
  await assertPaid(stage.kit, texts);
}
