import assert from "node:assert/strict";
import test from "node:test";
import { makeBatch, phones, readBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { movedBy } from "../../../testing/shift-timestamp.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
/** A second submit of these cannot be stored: temporarily for one, permanently for the other. */
const MENDED = "+14155551003";
const LOST = "+14155551004";
const BUSY = { kind: "refused", isTemporary: true, carrierCode: "busy" } as const;

test("a message that cannot be submitted again delays none that is due with it", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  kit.stopClock();
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  carrier.answers = [() => BUSY];
  const healthy = phones(30, 500);
  const { id } = await makeBatch(
    kit,
    [...healthy.slice(0, 15), MENDED, LOST, ...healthy.slice(15)],
    { from: FROM },
    { key: kit.liveKey },
  );
  const refused = () =>
    kit.rows(
      "select count(*)::int as n from messages where status = 'queued' and not awaiting_carrier and attempts = 1",
    );
  await until(async () => (await refused())[0].n === 32);
  carrier.answers = [];
  const stateOf = (to: string) =>
    kit.rows("select status, failure_code, attempts from messages where to_number = $1", [to]);
  const poison = (phonesOfAll: readonly string[]) =>
    kit.rows(`create or replace function refuse_hand_over() returns trigger language plpgsql as $$ begin
       if new.to_number = any ('{${phonesOfAll.join(",")}}') and new.attempts > 1 and new.awaiting_carrier
       then raise exception 'poisoned'; end if;
       return new;
     end $$`);
  await poison([MENDED, LOST]);
  await kit.rows(
    "create trigger poisoned before update on messages for each row execute function refuse_hand_over()",
  );

  await kit.advance(31);
  for (const to of healthy) {
    assert.deepEqual(await stateOf(to), [{ status: "sent", failure_code: null, attempts: 2 }], to);
  }
  const waiting = [{ status: "queued", failure_code: null, attempts: 1 }];
  assert.deepEqual([await stateOf(MENDED), await stateOf(LOST)], [waiting, waiting]);
  const dueOf = () =>
    kit.rows(
      `select m.to_number as to from due_attempts d cross join unnest(d.message_ids) as due (id)
         join messages m on m.shard = d.shard and m.id = due.id
        where m.status = 'queued' and d.due_at < $1::timestamptz order by 1`,
      // A submitted message is also due for a decision, in a quarter of an hour.
      [new Date(kit.deps.clock.now() + 120_000)],
    );
  assert.deepEqual(await dueOf(), [{ to: MENDED }, { to: LOST }], "each is due once");

  await poison([LOST]);
  await kit.advance(3_600);
  assert.deepEqual(await stateOf(MENDED), [{ status: "sent", failure_code: null, attempts: 2 }]);
  await kit.advance(3 * 3_600);
  const lost = { status: "failed", failure_code: "carrier_unavailable", attempts: 1 };
  assert.deepEqual(await stateOf(LOST), [lost]);
  const [left] = await kit.rows("select count(*)::int as rows from due_attempts");
  assert.equal(left.rows, 0);
  const batch = await readBatch(kit, id);
  assert.deepEqual([batch.status, batch.counts.sent, batch.counts.failed], ["complete", 31, 1]);
  const handed = new Map<string, number>();
  for (const { to } of carrier.submitted) handed.set(to, (handed.get(to) ?? 0) + 1);
  assert.deepEqual([handed.get(MENDED), handed.get(LOST)], [2, 1]);
  for (const to of healthy) assert.equal(handed.get(to), 2, to);
});

test("a receipt that cannot be applied delays none that arrived with it", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  kit.stopClock();
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  carrier.answers = [({ to }) => ({ kind: "accepted", references: [`of ${to}`] })];
  const all = [...phones(10, 500), MENDED, LOST, ...phones(10, 600)];
  await makeBatch(kit, all, { from: FROM }, { key: kit.liveKey });
  const count = async (status: string) =>
    (await kit.rows("select count(*)::int as n from messages where status = $1", [status]))[0].n;
  await until(async () => (await count("sent")) === all.length);
  const poison = (to: readonly string[]) =>
    kit.rows(`create or replace function refuse_receipt() returns trigger language plpgsql as $$ begin
       if new.to_number = any ('{${to.join(",")}}') and new.status = 'delivered'
       then raise exception 'poisoned'; end if;
       return new;
     end $$`);
  await poison([MENDED, LOST]);
  await kit.rows(
    "create trigger poisoned before update on messages for each row execute function refuse_receipt()",
  );
  const bring = (to: string) =>
    carrier.sink().receipt({
      carrier: "test-link",
      reference: `of ${to}`,
      state: "delivered",
      carrierCode: null,
      raw: "stat:DELIVRD",
    });
  await Promise.all(all.map(bring));
  await until(async () => (await count("delivered")) === all.length - 2);
  assert.equal(await count("sent"), 2);

  await poison([LOST]);
  await kit.advance(3_600);
  assert.equal(await count("delivered"), all.length - 1);
  await kit.rows(
    `update carrier_inbox set received_at = ${movedBy("received_at", -72 * 3_600)} where due_at is not null`,
  );
  await kit.advance(3_600);
  assert.equal(await count("sent"), 1, "it is as far as it is known to have come");
  const waiting = await kit.rows("select 1 from carrier_inbox where due_at is not null");
  assert.deepEqual(waiting, [], "it is no longer tried");
});
