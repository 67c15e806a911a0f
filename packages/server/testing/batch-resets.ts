import assert from "node:assert/strict";
import fc from "fast-check";
import type { SubmitOutcome } from "../src/network/carriers/index.ts";
import { makeBatch, phones, readBatch, recipientsOf } from "./batches.ts";
import { giveNumber } from "./give-number.ts";
import { type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { accepted, createTestCarrier } from "./test-carrier.ts";
import { until } from "./until.ts";

const FROM = "+14155550100";
const WINDOW = 10;
const ANSWER_MS = 2;
const SENT_MS_MAX = 120_000;
/** Longer than any unknown outcome stays open. */
const SETTLED_SECONDS = 3_600;

/**
 * Sends a live batch while the link breaks at seeded moments, so that outstanding submits are never answered.
 * No message is sent twice, all others are sent, and every lost answer ends as `outcome_unknown`.
 */
export async function checkResets(
  t: Lifetime,
  plan: { readonly recipients: number; readonly resets: number; readonly seed: number },
): Promise<void> {
  const carrier = createTestCarrier();
  carrier.window = WINDOW;
  const open = new Set<(outcome: SubmitOutcome) => void>();
  const moments = new Set(
    fc.sample(fc.noBias(fc.integer({ min: 1, max: plan.recipients - 1 })), {
      seed: plan.seed,
      numRuns: plan.resets,
    }),
  );
  carrier.answers = [
    () =>
      new Promise<SubmitOutcome>((resolve) => {
        open.add(resolve);
        if (moments.has(carrier.submitted.length)) {
          for (const reset of open) reset({ kind: "unknown" });
          open.clear();
        }
        setTimeout(() => {
          open.delete(resolve);
          resolve(accepted());
        }, ANSWER_MS);
      }),
  ];
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 1_000);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await kit.rows("update accounts set daily_message_quota = 1000000");
  const to = phones(plan.recipients);
  const { id } = await makeBatch(kit, to, { from: FROM }, { key: kit.liveKey });
  await until(async () => {
    await readBatch(kit, id);
    return carrier.submitted.length >= to.length && open.size === 0;
  }, SENT_MS_MAX);
  await kit.advance(SETTLED_SECONDS);

  const batch = await readBatch(kit, id);
  assert.equal(batch.status, "complete");
  assert.equal(carrier.submitted.length, to.length);
  assert.deepEqual(new Set(carrier.submitted.map((text) => text.to)), new Set(to));
  const rows = await recipientsOf(kit, id);
  const unknown = rows.filter((row) => row.failure?.code === "outcome_unknown").length;
  assert.ok(unknown >= moments.size, `${unknown} unknown outcomes after ${moments.size} resets`);
  assert.ok(unknown <= moments.size * WINDOW, `${unknown} unknown outcomes`);
  assert.equal(batch.counts.sent, to.length - unknown);
  assert.equal(batch.counts.failed, unknown);
}
