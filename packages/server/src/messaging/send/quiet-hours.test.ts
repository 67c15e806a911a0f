import assert from "node:assert/strict";
import test, { before, describe, it } from "node:test";
import { formatTimeOfDay, packQuietHours, quietUntil, zonesOf } from "@longwave/contract";
import { makeBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";

const FROM = "+15005550100";
/** Phones in New York, each used by one test. */
const phone = (n: number) => `+1212555${String(2_000 + n)}`;

/** Quiet hours in New York that began an hour ago and last for two more. */
function nightAt(nowMs: number) {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/New_York",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const [hour, minute] = clock.format(nowMs).split(":").map(Number) as [number, number];
  const startMinute = (hour * 60 + minute + 1_440 - 60) % 1_440;
  const endMinute = (hour * 60 + minute + 120) % 1_440;
  const given = { start: formatTimeOfDay(startMinute), end: formatTimeOfDay(endMinute) };
  const packed = packQuietHours({ startMinute, endMinute });
  const endFor = (to: string, atMs: number) =>
    quietUntil({ startMinute, endMinute }, zonesOf(to), atMs) ?? atMs;
  return { given, packed, endFor };
}

async function timelineOf(kit: Kit, id: string) {
  const { body } = await kit.request("GET", `/v1/messages/${id}/timeline`);
  return body.entries as { at: string; step: string; description: string; details: object }[];
}

describe("quiet hours", () => {
  const kit = suiteKit();
  before(() => giveNumber(kit()));
  const now = () => kit().deps.clock.now();
  const send = (to: string, more: Record<string, unknown> = {}) =>
    kit().request("POST", "/v1/messages", { body: { to, from: FROM, body: "Hello", ...more } });
  const read = async (id: string) => (await kit().request("GET", `/v1/messages/${id}`)).body;
  const setOfAccount = (quiet_hours: unknown) =>
    kit().request("PATCH", "/v1/account", { body: { quiet_hours } });
  const pass = (untilMs: number) => kit().advance(Math.ceil((untilMs - now()) / 1_000));

  it("belong to the account, are shown and cleared; an invalid time is refused", async () => {
    const set = await setOfAccount({ start: "21:00", end: "08:00" });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const shown = { start: "21:00", end: "08:00", zone_source: "area_code" };
    assert.deepEqual(set.body.quiet_hours, shown);
    assert.deepEqual((await kit().request("GET", "/v1/account")).body.quiet_hours, shown);
    const [entry] = await kit().rows(
      "select changes from audit_log where action = 'account.updated' order by seq desc limit 1",
    );
    assert.deepEqual(entry.changes, { quiet_hours: { from: null, to: shown } });
    assert.equal((await setOfAccount(null)).body.quiet_hours, null);
    const same = { start: "09:00", end: "09:00" };
    assertProblem(await setOfAccount(same), 400, "invalid_request", "quiet_hours.end");
    assertProblem(await setOfAccount({ start: "9:00", end: "10:00" }), 400, "invalid_request");
    assertProblem(await setOfAccount({ start: "21:00" }), 400, "invalid_request");
    const wrong = await send(phone(0), { quiet_hours: same });
    assertProblem(wrong, 400, "invalid_request", "quiet_hours.end");
  });

  it("defer a message until their end, show that, and then send it normally", async () => {
    const night = nightAt(now());
    await setOfAccount(night.given);
    const { status, body: made } = await send(phone(1));
    assert.equal(status, 202);
    const end = night.endFor(phone(1), Date.parse(made.created_at));
    assert.deepEqual([made.status, Date.parse(made.next_attempt_at)], ["queued", end]);
    const told = await timelineOf(kit(), made.id);
    assert.deepEqual(
      told.map((entry) => entry.step),
      ["accepted", "quiet_hours", "waiting"],
    );
    assert.match(told[1]?.description ?? "", new RegExp(`^Quiet hours from ${night.given.start}`));
    assert.match(told[2]?.description ?? "", /^Quiet hours end in the recipient's time zone/);

    const free = await send(phone(2), { quiet_hours: null });
    assert.equal(free.status, 201, "null: none for this one");
    await pass(end - 60_000);
    assert.equal((await read(made.id)).status, "queued");
    await kit().advance(62);
    const sent = await read(made.id);
    assert.equal(sent.status, "delivered");
    assert.ok(Date.parse(sent.sent_at) >= end);
    const steps = (await timelineOf(kit(), made.id)).map((entry) => entry.step);
    assert.deepEqual(steps.slice(0, 4), [
      "accepted",
      "quiet_hours",
      "carrier_accepted",
      "delivered",
    ]);
    const events = await kit().rows(
      "select type from events where data ->> 'message_id' = $1 order by seq",
      [made.id],
    );
    assert.deepEqual(
      events.map((event) => event.type),
      ["message.sent", "message.delivered"],
    );
    assert.equal((await send(phone(3))).status, 201, "it is day");
    await setOfAccount(null);
  });

  it("may belong to a message; one that expires before their end is not sent", async () => {
    const night = nightAt(now());
    const own = { quiet_hours: night.given };
    const keyed = () =>
      kit().request("POST", "/v1/messages", {
        body: { to: phone(4), from: FROM, body: "Hello", ...own },
        headers: { "idempotency-key": "quiet-own" },
      });
    const [held, again] = [await keyed(), await keyed()];
    assert.deepEqual([held.status, again.status, again.body], [202, 202, held.body]);
    const short = (await send(phone(5), { ...own, valid_for: 600 })).body;
    await kit().advance(601);
    assert.deepEqual((await read(short.id)).failure.code, "expired");
    assert.equal((await read(held.body.id)).status, "queued");
    await kit().request("POST", "/v1/consent", {
      body: { phone_number: phone(4), status: "opted_out", source: "by phone" },
    });
    await pass(Date.parse(held.body.next_attempt_at) + 1_000);
    assert.equal((await read(held.body.id)).failure.code, "recipient_opted_out");
  });

  it("are shown with a batch or a scheduled message that has its own", async () => {
    const hours = { start: "21:00", end: "08:00", zone_source: "area_code" };
    const scheduled_at = now() + 86_400_000;
    const shown = async (path: string) => {
      const { body } = await kit().request("GET", `/v1${path}`);
      return [body.quiet_hours, body.uses_account_quiet_hours];
    };
    await setOfAccount({ start: "23:00", end: "07:00" });
    for (const [given, expected] of [
      [{}, [null, true]],
      [{ quiet_hours: null }, [null, false]],
      [{ quiet_hours: { start: "21:00", end: "08:00" } }, [hours, false]],
    ] as const) {
      const text = (await send(phone(0), { scheduled_at, ...given })).body;
      assert.deepEqual([text.quiet_hours, text.uses_account_quiet_hours], expected);
      assert.deepEqual(await shown(`/scheduled_messages/${text.id}`), expected);
      const batch = await makeBatch(kit(), [phone(0)], { scheduled_at, ...given });
      assert.deepEqual([batch.quiet_hours, batch.uses_account_quiet_hours], expected);
      assert.deepEqual(await shown(`/batches/${batch.id}`), expected);
    }
    await setOfAccount(null);
  });

  it("do not defer codes, automatic replies and answers", async () => {
    const night = nightAt(now());
    await setOfAccount(night.given);
    const code = await kit().request("POST", "/v1/verify", {
      body: { phone: phone(6), from: FROM },
    });
    assert.equal(code.status, 201);
    const inbound = (from: string, body: string) =>
      kit().request("POST", "/v1/test/inbound", { body: { from, to: FROM, body } });
    await inbound(phone(6), "HELP");
    const texts = await kit().rows(
      "select auto_reply, status from messages where to_number = $1 and direction = 'outbound' order by id",
      [phone(6)],
    );
    assert.equal(texts.length, 2);
    for (const text of texts) assert.notEqual(text.status, "queued");

    await inbound(phone(7), "Is my table ready?");
    assert.equal((await send(phone(7))).status, 201, "it answers them");
    assert.equal((await send(phone(8))).status, 202, "they have not texted");
    const later = await send(phone(7), { scheduled_at: now() + 20 * 3_600_000 });
    assert.equal(later.status, 201);
    await setOfAccount(null);
    await kit().advance(25 * 3_600);
    const { message_id } = (await kit().request("GET", `/v1/scheduled_messages/${later.body.id}`))
      .body;
    assert.equal((await read(message_id)).status, "delivered");
    const next = nightAt(now());
    const late = await send(phone(7), { quiet_hours: next.given });
    assert.equal(late.status, 202, "a day later it is no answer");
  });

  it("are checked when a scheduled message is due, and at every retry", async () => {
    const due = now() + 1_800_000;
    const night = nightAt(due);
    await setOfAccount(night.given);
    const later = await send(phone(9), { scheduled_at: due });
    await kit().advance(1_801);
    const { body: scheduled } = await kit().request(
      "GET",
      `/v1/scheduled_messages/${later.body.id}`,
    );
    assert.equal(scheduled.status, "sent");
    const held = await read(scheduled.message_id);
    const end = night.endFor(phone(9), Date.parse(held.created_at));
    assert.deepEqual([held.status, Date.parse(held.next_attempt_at)], ["queued", end]);
    await pass(end + 1_000);
    assert.equal((await read(held.id)).status, "delivered");
    await setOfAccount(null);

    const busy = (await send("+15005550002")).body;
    const tryAgainAt = Date.parse(busy.next_attempt_at);
    const { packed, endFor } = nightAt(tryAgainAt);
    await kit().rows(
      "update messages set quiet_hours = $1 where status = 'queued' and attempts = 1",
      [packed],
    );
    await kit().advance(31);
    const waits = await read(busy.id);
    const after = Date.parse(waits.next_attempt_at);
    assert.deepEqual([waits.status, after > tryAgainAt], ["queued", true]);
    assert.ok(Math.abs(after - endFor("+15005550002", tryAgainAt)) < 60_000);
    await pass(after + 1_000);
    assert.equal((await read(busy.id)).status, "delivered");
  });

  it("keep the rows of a batch queued; pause, resume and cancel work as usual", async () => {
    const night = nightAt(now());
    const batch = await makeBatch(kit(), [phone(10), phone(11), "+13105552671"], {
      quiet_hours: night.given,
    });
    const shown = async () => (await kit().request("GET", `/v1/batches/${batch.id}`)).body;
    const act = (verb: string) => kit().request("POST", `/v1/batches/${batch.id}/${verb}`);
    await kit().advance(1);
    const isNightThere = night.endFor("+13105552671", now()) > now();
    const queued = isNightThere ? 3 : 2;
    assert.deepEqual([(await shown()).status, (await shown()).counts.queued], ["sending", queued]);
    assert.equal((await act("pause")).status, 200);
    assert.equal((await shown()).counts.paused, queued);
    await act("resume");
    await kit().advance(60);
    assert.equal((await shown()).counts.queued, queued, "resumed, and it is still night");
    await kit().advance(4 * 3_600);
    const done = await shown();
    assert.deepEqual([done.status, done.counts.sent], ["complete", 3]);

    const topic = (await kit().request("POST", "/v1/topics", { body: { name: "News" } })).body.id;
    const news = await makeBatch(kit(), [phone(13)], {
      quiet_hours: nightAt(now()).given,
      topic_id: topic,
    });
    await kit().advance(1);
    await kit().request("POST", `/v1/topics/${topic}/subscriptions`, {
      body: { phone_number: phone(13), subscribed: false },
    });
    await kit().advance(4 * 3_600);
    const { counts } = (await kit().request("GET", `/v1/batches/${news.id}`)).body;
    assert.deepEqual([counts.sent, counts.skipped], [0, 1], "left the topic overnight");

    const other = await makeBatch(kit(), [phone(12)], { quiet_hours: nightAt(now()).given });
    await kit().advance(1);
    await kit().request("POST", `/v1/batches/${other.id}/cancel`);
    await kit().advance(4 * 3_600);
    const [text] = await kit().rows(
      "select status, failure_code from messages where to_number = $1",
      [phone(12)],
    );
    assert.deepEqual([text.status, text.failure_code], ["failed", "canceled"]);
  });
});

test("a deferred live message has its price reserved, and is sent once", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: "+14155550100", mode: "live", senderState: "active" });
  const useUpAllowance = () =>
    kit.rows(
      "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz at time zone 'UTC')::date",
      [new Date(kit.deps.clock.now())],
    );
  await useUpAllowance();
  const night = nightAt(kit.deps.clock.now());
  const send = () =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: phone(1), from: "+14155550100", body: "Hello", quiet_hours: night.given },
    });
  const held = await send();
  assert.equal(held.status, 202);
  assert.equal(carrier.submitted.length, 0);
  assert.equal((await kit.request("GET", "/v1/account")).body.balance_usd, 9.991);
  carrier.answers = [accepted];
  await kit.advance(2 * 3_600 + 60);
  assert.equal(carrier.submitted.length, 1);
  assert.equal((await kit.request("GET", `/v1/messages/${held.body.id}`)).body.status, "sent");
  await assertMoneyAddsUp(kit.rows);
  const over = await kit.operator(
    "POST",
    `/accounts/${(await kit.request("GET", "/v1/account")).body.id}/credits`,
    { amount_usd: -9.99 },
  );
  assert.equal(over.status, 201);
  // The quiet hours may have ended in the next month.
  await useUpAllowance();
  const again = { ...night, ...nightAt(kit.deps.clock.now()) };
  const poor = await kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { to: phone(2), from: "+14155550100", body: "Hello", quiet_hours: again.given },
  });
  assertRefused(poor, 402, "insufficient_credits");
});
