import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { BATCH_FROM, phone } from "./batches.ts";
import { giveNumber } from "./give-number.ts";
import { type Kit, startKit } from "./kit.ts";
import { type SingleSends, sendMeanwhile } from "./latency-under-load.ts";

/** Schedules `count` messages for one second: they leave in order, and single sends stay fast. */
export async function checkScheduledCrowd(t: TestContext, count: number): Promise<SingleSends> {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await giveNumber(kit);
  const burst = async () => {
    await scheduleForOneSecond(kit, count);
    await kit.advance(62);
  };
  const singles = await sendMeanwhile(kit, burst);
  const sent = await kit.rows(
    `select s.scheduled_at from scheduled_messages s
       join messages m on m.shard = s.shard and m.id = s.message_id order by m.id`,
  );
  assert.equal(sent.length, count);
  const isBefore = sent.filter((row, n) => n > 0 && row.scheduled_at < sent[n - 1].scheduled_at);
  assert.equal(isBefore.length, 0, "messages sent before one that was due earlier");
  const { sends, slowestMs, overtakenBy } = singles;
  t.diagnostic(
    `${count} scheduled, ${sends} single sends, the slowest ${slowestMs.toFixed(0)} ms, overtaken by ${overtakenBy}`,
  );
  return singles;
}

async function scheduleForOneSecond(kit: Kit, count: number): Promise<void> {
  const dueAt = kit.deps.clock.now() + 60_000;
  const rows = Array.from({ length: count }, (_, n) => ({
    id: kit.deps.ids.make(),
    // In another order than they were created in.
    due: new Date(dueAt + ((n * 7_919) % 1_000)),
    to: phone(n),
  }));
  await kit.rows(
    `insert into scheduled_messages (shard, account_id, id, status, mode, to_number, sender, body, scheduled_at, created_at)
     select $1, $2, u.id, 'pending', 'test', u.to_number, $3, 'Now', u.due, $4
       from unnest($5::uuid[], $6::timestamptz[], $7::text[]) as u (id, due, to_number)`,
    [
      kit.account.shard,
      kit.account.id,
      BATCH_FROM,
      new Date(kit.deps.clock.now()),
      rows.map((row) => row.id),
      rows.map((row) => row.due),
      rows.map((row) => row.to),
    ],
  );
}
