import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCEPTED } from "@longwave/smpp/smsc";
import { phones } from "../../testing/batches.ts";
import { startSmppStage } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { assertOnce, assertPaid, sendLiveBatch } from "./live-batch.ts";

export interface SlowPlan {
  readonly texts: number;
  readonly window: number;
  readonly rate: number;
  readonly answerDelayMs: number;
  /** Response timeout in seconds, shorter than the delay of responses. */
  readonly answerSeconds: number;
  /** Minimum number of submits outstanding at one time. */
  readonly outMin: number;
  readonly msMax: number;
}

/**
 * Every response comes after the timeout, as from a carrier that throttles by responding slowly. No message
 * is submitted again, the window is never exceeded, and each late response settles its message.
 */
export async function answerSlowly(t: TestContext, plan: SlowPlan): Promise<void> {
  const { window, rate, answerDelayMs, texts } = plan;
  const stage = await startSmppStage(
    t,
    { behave: () => ({ ...ACCEPTED, answerDelayMs, receipt: null }) },
    { window, rate, answer_seconds: plan.answerSeconds },
  );
  await sendLiveBatch(stage, phones(texts));
  const sent = async () =>
    (await stage.kit.rows("select count(*)::int as n from messages where status = 'sent'"))[0].n;
  await until(async () => (await sent()) === texts, plan.msMax);
  assertOnce(stage, window);
  const most = stage.smsc.journal.mostOutstanding();
  assert.ok(
    most >= plan.outMin,
    `${most} were outstanding at most: slow responses delay other submits`,
  );
  await assertPaid(stage.kit, texts);
}
