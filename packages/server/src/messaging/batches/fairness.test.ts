import assert from "node:assert/strict";
import { test } from "node:test";
import { BATCH_FROM, makeBatch, phones } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { createWorkerIdentity } from "../../core/queue/lane.ts";

const PACE = 40;
/** Messages of a quarter of a second: the size of a paced chunk, and the lateness that it may make up. */
const STEP = PACE / 4;

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
