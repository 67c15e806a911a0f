import assert from "node:assert/strict";
import { test } from "node:test";
import { makeBatch, phones, readBatch, untilBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { assertNotHeldUp, sendMeanwhile } from "../../../testing/latency-under-load.ts";
import { goLive, secondAccount } from "../../../testing/live.ts";
import { liveBatch } from "../../../testing/live-batches.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const AHEAD_SECONDS = 600;
const TEXTS = 6;

test("a carrier that does not answer delays no other account's batch", async (t) => {
  const carrier = createTestCarrier();
  // One message per run, so that more runs wait for an answer than the four loops of a process.
  Object.assign(carrier, { ratePerSecond: () => 4 });
  carrier.answers = [() => new Promise(() => {})];
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await giveNumber(kit);
  await liveBatch({ kit, from: FROM }, phones(TEXTS));
  await until(() => carrier.submitted.length >= 4);
  const { id } = await makeBatch(kit, phones(3, 700));
  await untilBatch(kit, id, "complete");
  await until(() => carrier.submitted.length === TEXTS);
});

test("batches of several accounts advance together, and a small batch finishes early", async (t) => {
  const kit = await startKit(t, { LONGWAVE_BATCH_PACE: "0" });
  const kits = [kit, await secondAccount(kit), await secondAccount(kit)];
  const small = await secondAccount(kit);
  for (const each of [...kits, small]) await giveNumber(each, { account: each.account });
  // All batches fall due at once, so that none has a head start.
  const later = { scheduled_at: kit.deps.clock.now() + AHEAD_SECONDS * 1_000 };
  const made = await Promise.all(kits.map((each) => makeBatch(each, phones(3_000), later)));
  const quick = await makeBatch(small, phones(50), later);
  const advanced = kit.advance(AHEAD_SECONDS);
  await until(async () => {
    const all = await Promise.all(made.map(({ id }, n) => readBatch(kits[n] ?? kit, id)));
    const sent = all.map((batch) => batch.counts.sent);
    if (Math.max(...sent) < 3_000) return false;
    // When the first batch is done, the others must not be far behind.
    assert.ok(Math.min(...sent) >= 1_000, `they sent ${sent.join(", ")}`);
    return true;
  });
  const done = await untilBatch(small, quick.id, "complete");
  await Promise.all(made.map(({ id }, n) => untilBatch(kits[n] ?? kit, id, "complete")));
  const [others] = await kit.rows(
    "select count(*)::int as before from messages where account_id <> $1 and created_at < $2",
    [small.account.id, new Date(done.completed_at)],
  );
  await advanced;
  // A run sends at most 1,000 messages: each other batch may have finished one and started another.
  t.diagnostic(`50 recipients were done after ${others.before} of 9,000 others`);
  assert.ok(others.before < 6_000, `50 recipients waited for ${others.before} others`);
});

test("a single message of the same account leaves within a second while a batch is sent", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  // Enough recipients that at least five single messages fit in on a fast machine.
  const crowd = 5_000;
  const met = await sendMeanwhile(kit, async () => {
    const { id } = await makeBatch(kit, phones(crowd));
    await untilBatch(kit, id, "complete");
  });
  const { sends, slowestMs, overtakenBy } = met;
  t.diagnostic(
    `${sends} texts, the slowest ${slowestMs.toFixed(0)} ms, overtaken by ${overtakenBy}`,
  );
  assert.ok(sends >= 5, `only ${sends} texts were sent meanwhile`);
  assertNotHeldUp(met, crowd);
});
