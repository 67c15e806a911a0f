import assert from "node:assert/strict";
import { test } from "node:test";
import { BATCH_FROM, makeBatch, phones, readBatch, untilBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { assertNotHeldUp, sendMeanwhile } from "../../../testing/latency-under-load.ts";
import { secondAccount } from "../../../testing/live.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { createWorkerIdentity } from "../../core/queue/lane.ts";

const PACE = 40;
/** Messages of a quarter of a second: the size of a paced chunk, and the lateness that it may make up. */
const STEP = PACE / 4;
const AHEAD_SECONDS = 600;

test("a sending number keeps its pace over all its batches; another number has its own", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: String(PACE) });
  kit.stopClock();
  await giveNumber(kit);
  const other = await giveNumber(kit, { phone: "+15005550101" });
  await makeBatch(kit, phones(60));
  await makeBatch(kit, phones(60, 100));
  await makeBatch(kit, phones(60, 200), { from: other });
  await kit.advance(10);
  for (const [from, count] of [
    [BATCH_FROM, 120],
    [other, 60],
  ] as const) {
    const rows = await kit.rows(
      "select created_at from messages where from_number = $1 order by created_at",
      [from],
    );
    const times: number[] = rows.map((row) => row.created_at);
    assert.equal(times.length, count);
    const most = Math.max(...times.map((start) => inSecond(times, start)));
    assert.ok(most <= PACE + STEP, `${from} sent ${most} in a second`);
    const lastedMs = (times.at(-1) as number) - (times[0] as number);
    const fairMs = ((count - STEP) / PACE) * 1_000;
    assert.ok(Math.abs(lastedMs - fairMs) < 300, `${from} took ${lastedMs} ms, not ${fairMs}`);
  }
});

function inSecond(times: readonly number[], start: number): number {
  return times.filter((time) => time >= start && time < start + 1_000).length;
}

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

test("runs rotate over accounts, however many batches each account has", async (t) => {
  // One shard only, because shards run in parallel.
  const kit = await startKit(t, { LONGWAVE_ROLES: "api", LONGWAVE_SHARDS: "1" });
  const other = await secondAccount(kit);
  for (const each of [kit, other]) await giveNumber(each, { account: each.account });
  const many = [];
  for (const start of [0, 10, 20]) many.push(await makeBatch(kit, phones(2, start)));
  const one = await makeBatch(other, phones(2));
  const lane = kit.deps.lanes.find(({ name }) => name === "batches");
  const runOnce = async () => {
    const worker = createWorkerIdentity(kit.deps.ids.make());
    await lane?.runDue(worker, new AbortController().signal);
    const rows = await kit.rows("select id from batches where status = 'complete'");
    return rows.map((row) => toApiId("batch", row.id));
  };
  assert.deepEqual(await runOnce(), [many[0].id]);
  const after = new Set(await runOnce());
  assert.deepEqual(after, new Set([many[0].id, one.id]), "the other account is next");
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
