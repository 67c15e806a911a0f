import assert from "node:assert/strict";
import test from "node:test";
import { automation, contact, runsOf, track } from "../../../testing/automations.ts";
import { makeBatch, phones, readBatch, recipientsOf } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";

const FROM = "+14155550100";
/** Inserting a message to this phone fails. */
const POISONED = "+14155551001";
const DUE_SECONDS = 3_600;

test("one message that cannot be accepted", async (t) => {
  const carrier = createTestCarrier();
  const started = await startKit(t, {}, { carriers: carrier });
  const kit: Kit = {
    ...started,
    request: (method, path, options = {}) =>
      started.request(method, path, { key: started.liveKey, ...options }),
  };
  kit.stopClock();
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await kit.rows(`create function refuse_poisoned() returns trigger language plpgsql as $$ begin
     if new.to_number = '${POISONED}' then raise exception 'poisoned'; end if;
     return new;
   end $$`);
  await kit.rows(
    "create trigger poisoned before insert on messages for each row execute function refuse_poisoned()",
  );
  const handedTo = (to: string) => carrier.submitted.filter((one) => one.to === to).length;
  const isHandedOnce = (to: readonly string[]) => {
    for (const phone of to) assert.equal(handedTo(phone), 1, phone);
  };

  await t.test("in a batch: it fails, and all others are sent", async () => {
    const others = phones(40, 100);
    const to = [...others.slice(0, 17), POISONED, ...others.slice(17)];
    const { id } = await makeBatch(kit, to, { from: FROM });
    await kit.advance(60);
    const batch = await readBatch(kit, id);
    assert.equal(batch.status, "complete");
    assert.deepEqual([batch.counts.sent, batch.counts.failed], [40, 1]);
    const failed = (await recipientsOf(kit, id)).filter((one) => one.status === "failed");
    assert.deepEqual(
      failed.map(({ to: phone, failure, message_id }) => [phone, failure.code, message_id]),
      [[POISONED, "carrier_unavailable", null]],
    );
    isHandedOnce(others);
  });

  await t.test("scheduled: it fails, and others due at the same time are sent", async () => {
    const others = phones(9, 200);
    const scheduled_at = new Date(kit.deps.clock.now() + DUE_SECONDS * 1_000).toISOString();
    const made = new Map<string, string>();
    for (const to of [...others.slice(0, 4), POISONED, ...others.slice(4)]) {
      const text = { to, from: FROM, body: "Later", scheduled_at };
      const answer = await kit.request("POST", "/v1/messages", { body: text });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      made.set(to, answer.body.id);
    }
    await kit.advance(DUE_SECONDS + 1);
    const read = async (to: string) =>
      (await kit.request("GET", `/v1/scheduled_messages/${made.get(to)}`)).body;
    for (const to of others) assert.equal((await read(to)).status, "sent", to);
    isHandedOnce(others);
    const failed = await read(POISONED);
    assert.deepEqual([failed.status, failed.failure.code], ["failed", "carrier_unavailable"]);
    assert.equal(failed.message_id, null);
  });

  await t.test(
    "in a recurring schedule: that occurrence fails, and others due with it are sent",
    async () => {
      const others = phones(6, 300);
      const made = new Map<string, string>();
      for (const to of [others[0] as string, POISONED, ...others.slice(1)]) {
        const rule = { rrule: "FREQ=HOURLY;COUNT=1", timezone: "America/New_York" };
        const body = { to, from: FROM, body: "Again", ...rule };
        const answer = await kit.request("POST", "/v1/schedules", { body });
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        made.set(to, answer.body.id);
      }
      await kit.advance(2 * DUE_SECONDS);
      const occurrenceOf = async (to: string) => {
        const path = `/v1/schedules/${made.get(to)}/occurrences`;
        const { data } = (await kit.request("GET", path)).body;
        assert.equal(data.length, 1);
        return data[0];
      };
      for (const to of others) assert.equal((await occurrenceOf(to)).status, "sent", to);
      isHandedOnce(others);
      const failed = await occurrenceOf(POISONED);
      assert.deepEqual([failed.status, failed.failure.code], ["failed", "carrier_unavailable"]);
    },
  );

  await t.test("in an automation: its run ends, and other runs continue", async () => {
    const others = phones(5, 400);
    const steps = [
      { type: "wait", seconds: DUE_SECONDS },
      { type: "send", from: FROM, body: "Hello" },
    ];
    const { id, event } = await automation(kit, steps);
    const contacts = new Map<string, string>();
    for (const to of [...others.slice(0, 2), POISONED, ...others.slice(2)]) {
      contacts.set((await contact(kit, to)).id, to);
      await track(kit, event, to);
    }
    await kit.advance(DUE_SECONDS + 1);
    const ends = (await runsOf(kit, id)) as unknown as Record<string, string>[];
    const endOf = new Map(ends.map((run) => [contacts.get(run["contact_id"] as string), run]));
    for (const to of others) assert.equal(endOf.get(to)?.["status"], "completed", to);
    isHandedOnce(others);
    const failed = endOf.get(POISONED);
    assert.deepEqual([failed?.["status"], failed?.["reason"]], ["failed", "internal_error"]);
  });

  await t.test("in every case: it was never submitted, and cost nothing", async () => {
    assert.equal(handedTo(POISONED), 0);
    const [billed] = await kit.rows(
      "select count(*)::int as texts, array_agg(distinct billing) as billings from messages",
    );
    assert.deepEqual(billed, { texts: 60, billings: ["allowance"] });
    await assertMoneyAddsUp(kit.rows);
    await assertMessagesWhole(kit.rows);
  });
});
