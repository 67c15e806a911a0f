import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { movedBy } from "../../../testing/shift-timestamp.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

const FROM = "+15005550100";
const TO = "+15005550000";
const HOUR = 3_600;

async function create(kit: Kit, more: Record<string, unknown> = {}) {
  const rule = "rrule" in more || "cron" in more ? {} : { rrule: "FREQ=HOURLY" };
  const body = {
    to: TO,
    from: FROM,
    body: "Again",
    timezone: "America/New_York",
    ...rule,
    ...more,
  };
  return kit.request("POST", "/v1/schedules", { body });
}

async function made(kit: Kit, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await create(kit, more);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

async function read(kit: Kit, id: string) {
  return (await kit.request("GET", `/v1/schedules/${id}`)).body;
}

async function occurrences(kit: Kit, id: string) {
  const { body } = await kit.request("GET", `/v1/schedules/${id}/occurrences?limit=100`);
  return body.data as { status: string; occurrence_at: string; [key: string]: unknown }[];
}

async function past(kit: Kit, id: string) {
  return (await occurrences(kit, id)).filter((one) => one.status !== "upcoming");
}

async function eventsOf(kit: Kit, id: string): Promise<{ type: string; reason: string }[]> {
  const rows = await kit.rows(
    "select type, data from events where type like 'schedule.%' and data ->> 'schedule_id' = $1 order by seq",
    [id],
  );
  return rows.map((row) => ({ type: row.type, reason: row.data.reason }));
}

/** A minute past the hour, so that nothing falls due at a round time during a test. */
async function pastTheHour(kit: Kit): Promise<void> {
  const seconds = Math.floor(kit.deps.clock.now() / 1_000) % HOUR;
  await kit.advance(HOUR - seconds + 60);
}

/** The same time of day in New York on both sides of the next change of clocks there. */
function nextChangeOfClocks(nowMs: number): { dayBeforeMs: number; dayAfterMs: number } {
  const clock = { timeZone: "America/New_York", hour: "2-digit", hourCycle: "h23" } as const;
  const hourAt = (ms: number) => Number(new Intl.DateTimeFormat("en-GB", clock).format(ms));
  const dayMs = 24 * HOUR * 1_000;
  let dayBeforeMs = Math.ceil(nowMs / dayMs) * dayMs + 14 * HOUR * 1_000;
  while (hourAt(dayBeforeMs) === hourAt(dayBeforeMs + dayMs)) dayBeforeMs += dayMs;
  const changed = hourAt(dayBeforeMs) - hourAt(dayBeforeMs + dayMs);
  return { dayBeforeMs, dayAfterMs: dayBeforeMs + dayMs + changed * HOUR * 1_000 };
}

async function remove(kit: Kit, id: string): Promise<void> {
  assert.equal((await kit.request("DELETE", `/v1/schedules/${id}`)).status, 200);
}

describe("recurring schedules", () => {
  const suite = suiteKit();

  it("send at every occurrence, once, and end after the last", async () => {
    const kit = suite();
    await giveNumber(kit);
    const answer = await create(kit, { rrule: "FREQ=HOURLY;COUNT=3" });
    const { id, next_at, created_at, status, mode } = answer.body;
    assert.deepEqual([status, mode], ["active", "test"]);
    const second = (ms: number) => Math.floor(ms / 1_000);
    assert.equal(second(Date.parse(next_at)), second(Date.parse(created_at)) + HOUR);
    assert.equal((await occurrences(kit, id)).length, 3);

    await kit.advance(HOUR - 60);
    assert.deepEqual(await past(kit, id), []);
    await kit.advance(4 * HOUR);
    const all = await past(kit, id);
    assert.deepEqual(
      all.map((one) => one.status),
      ["delivered", "delivered", "delivered"],
    );
    assert.equal(new Set(all.map((one) => one["message_id"])).size, 3);
    const last = await read(kit, id);
    assert.deepEqual([last.status, last.next_at], ["ended", null]);
    const [texts] = await kit.rows(
      "select count(*)::int as n from messages where schedule_id = $1",
      [fromApiId("schedule", id)],
    );
    assert.equal(texts.n, 3);
    assertRefused(
      await kit.request("PATCH", `/v1/schedules/${id}`, { body: { body: "More" } }),
      409,
      "invalid_state",
    );
    await remove(kit, id);
    assert.equal((await kit.request("GET", `/v1/schedules/${id}`)).status, 404);
  });

  it("keep their time of day across a change of clocks", async () => {
    const kit = suite();
    const { dayBeforeMs, dayAfterMs } = nextChangeOfClocks(kit.deps.clock.now());
    const start = new Date(dayBeforeMs).toISOString();
    const id = await made(kit, { rrule: "FREQ=DAILY", start_at: start });
    const ahead = (await occurrences(kit, id)).map((one) => one.occurrence_at).reverse();
    assert.deepEqual(ahead.slice(0, 2), [start, new Date(dayAfterMs).toISOString()]);
    assert.notEqual(dayAfterMs - dayBeforeMs, 24 * HOUR * 1_000);
    assert.equal(ahead.length, 10);
    await remove(kit, id);
  });

  it("pause and resume: occurrences during the pause are not sent", async () => {
    const kit = suite();
    await pastTheHour(kit);
    const id = await made(kit, { cron: "0 * * * *" });
    const paused = await kit.request("POST", `/v1/schedules/${id}/pause`);
    assert.deepEqual(
      [paused.body.status, paused.body.next_at, paused.body.pause_reason],
      ["paused", null, null],
    );
    assert.deepEqual(await occurrences(kit, id), []);
    assertRefused(await kit.request("POST", `/v1/schedules/${id}/pause`), 409, "invalid_state");
    await kit.advance(3 * HOUR);
    const resumed = await kit.request("POST", `/v1/schedules/${id}/resume`);
    assert.equal(resumed.body.status, "active");
    assert.ok(Date.parse(resumed.body.next_at) > kit.deps.clock.now());
    assertRefused(await kit.request("POST", `/v1/schedules/${id}/resume`), 409, "invalid_state");
    assert.deepEqual(await past(kit, id), []);
    await kit.advance(HOUR);
    assert.equal((await past(kit, id)).length, 1);
    assert.deepEqual(await eventsOf(kit, id), []);
    await remove(kit, id);
  });

  it("skip and pause themselves when the recipient has opted out", async () => {
    const kit = suite();
    const to = "+14155552671";
    const id = await made(kit, { to });
    const consent = { phone_number: to, source: "web" };
    await kit.request("POST", "/v1/consent", { body: { ...consent, status: "opted_out" } });
    assertRefused(await create(kit, { to }), 400, "recipient_opted_out", "to");
    await kit.advance(2 * HOUR);
    const all = await past(kit, id);
    assert.deepEqual(
      all.map((one) => [one.status, one["reason"], one["message_id"]]),
      [["skipped", "recipient_opted_out", null]],
    );
    const { status, pause_reason } = await read(kit, id);
    assert.deepEqual([status, pause_reason], ["paused", "recipient_opted_out"]);
    assert.deepEqual(await eventsOf(kit, id), [
      { type: "schedule.occurrence_skipped", reason: "recipient_opted_out" },
      { type: "schedule.paused", reason: "recipient_opted_out" },
    ]);
    await remove(kit, id);
  });

  for (const to of ["+15005550004", "+15005550001"]) {
    it(`pause themselves after three failures in a row by final status: ${to}`, async () => {
      const kit = suite();
      const id = await made(kit, { to });
      await kit.advance(2 * HOUR + 60);
      assert.equal((await read(kit, id)).status, "active");
      await kit.advance(HOUR);
      const { status, pause_reason } = await read(kit, id);
      assert.deepEqual([status, pause_reason], ["paused", "repeated_failures"]);
      await kit.advance(5 * HOUR);
      const all = await past(kit, id);
      assert.deepEqual(
        all.map((one) => one.status),
        ["failed", "failed", "failed"],
      );
      assert.ok(all.every((one) => one["failure"] !== null && one["message_id"] !== null));
      assert.deepEqual(await eventsOf(kit, id), [
        { type: "schedule.paused", reason: "repeated_failures" },
      ]);
      await kit.request("POST", `/v1/schedules/${id}/resume`);
      await kit.advance(HOUR + 60);
      assert.equal((await read(kit, id)).status, "active", "failures are counted anew");
      await remove(kit, id);
    });
  }

  it("a delivered message resets the count of failures", async () => {
    const kit = suite();
    const id = await made(kit, { to: "+15005550004" });
    await kit.advance(2 * HOUR + 60);
    await kit.request("PATCH", `/v1/schedules/${id}`, { body: { to: TO } });
    await kit.advance(HOUR);
    await kit.request("PATCH", `/v1/schedules/${id}`, { body: { to: "+15005550004" } });
    await kit.advance(2 * HOUR);
    assert.equal((await read(kit, id)).status, "active");
    assert.deepEqual(
      (await past(kit, id)).map((one) => one.status),
      ["failed", "failed", "delivered", "failed", "failed"],
    );
    await remove(kit, id);
  });

  it("pause themselves when the sender cannot send", async () => {
    const kit = suite();
    const from = "+14155550177";
    const number = await giveNumber(kit, { phone: from });
    const id = await made(kit, { from: number });
    assert.equal((await kit.request("DELETE", `/v1/numbers/${from}`)).status, 200);
    await kit.advance(2 * HOUR);
    const [failed, ...others] = await past(kit, id);
    assert.deepEqual(others, []);
    assert.equal((failed as { failure?: { code: string } }).failure?.code, "sender_unavailable");
    const { status, pause_reason } = await read(kit, id);
    assert.deepEqual([status, pause_reason], ["paused", "sender_unavailable"]);
    await remove(kit, id);
  });

  it("after hours of downtime only the latest occurrence is sent, and the others are missed", async () => {
    const kit = suite();
    await pastTheHour(kit);
    const id = await made(kit, { cron: "*/20 * * * *" });
    const uuid = fromApiId("schedule", id);
    // Simulates three hours without a worker.
    await kit.rows(
      `update schedules set next_at = ${movedBy("next_at", -3 * HOUR)}, due_at = ${movedBy("next_at", -3 * HOUR)},
         created_at = ${movedBy("created_at", -24 * HOUR)} where id = $1`,
      [uuid],
    );
    await kit.advance(1);
    const all = await past(kit, id);
    const missed = all.filter((one) => one.status === "skipped");
    assert.ok(missed.length >= 7 && missed.length <= 9, `${missed.length} were missed`);
    assert.ok(missed.every((one) => one["reason"] === "missed"));
    assert.equal(all.length, missed.length + 1);
    assert.equal(all[0]?.status === "skipped", false, "the latest was sent");
    const events = await eventsOf(kit, id);
    assert.equal(
      events.filter((one) => one.type === "schedule.occurrence_skipped").length,
      missed.length,
    );
    await remove(kit, id);
  });

  for (const days of [0, 2]) {
    it(`a daily occurrence 90 minutes late, and ${days} days before it, are missed and not sent`, async () => {
      const kit = suite();
      // UTC has days of 24 hours only.
      const id = await made(kit, { rrule: "FREQ=DAILY", timezone: "UTC" });
      // Simulates creation a day before the first missed occurrence.
      const lateBy = (days + 1) * 24 * HOUR + 1.5 * HOUR;
      await kit.rows(
        `update schedules set created_at = ${movedBy("created_at", -lateBy)},
           next_at = ${movedBy("next_at", -lateBy)}, due_at = ${movedBy("next_at", -lateBy)} where id = $1`,
        [fromApiId("schedule", id)],
      );
      await kit.advance(1);
      const all = await past(kit, id);
      assert.deepEqual(
        all.map((one) => [one.status, one["reason"]]),
        Array.from({ length: days + 1 }, () => ["skipped", "missed"]),
      );
      assert.equal((await eventsOf(kit, id)).length, days + 1, "each is told of once");
      const { status, next_at } = await read(kit, id);
      assert.equal(status, "active");
      const aheadMs = Date.parse(next_at) - kit.deps.clock.now();
      assert.ok(aheadMs > 22 * HOUR * 1_000 && aheadMs < 23 * HOUR * 1_000, `${aheadMs} ms`);
      await remove(kit, id);
    });
  }

  it("an occurrence less than an hour late is sent, not missed", async () => {
    const kit = suite();
    await pastTheHour(kit);
    const id = await made(kit, { cron: "*/20 * * * *" });
    await kit.rows(
      `update schedules set next_at = ${movedBy("next_at", -HOUR)}, due_at = ${movedBy("next_at", -HOUR)},
         created_at = ${movedBy("created_at", -24 * HOUR)} where id = $1`,
      [fromApiId("schedule", id)],
    );
    await kit.advance(1);
    const all = await past(kit, id);
    assert.equal(all.length, 3);
    assert.ok(all.every((one) => one.status !== "skipped"));
    assert.deepEqual(await eventsOf(kit, id), []);
    await remove(kit, id);
  });

  it("a suspended account's occurrences fail, and its schedules pause", async () => {
    const kit = suite();
    const id = await made(kit);
    const path = `/accounts/${toApiId("account", kit.account.id)}`;
    await kit.operator("PATCH", path, { status: "suspended" });
    await kit.advance(2 * HOUR);
    await kit.operator("PATCH", path, { status: "active" });
    assert.equal((await read(kit, id)).pause_reason, "sender_unavailable");
    await remove(kit, id);
  });

  it("a change of the body keeps a due occurrence due, and a paused schedule paused", async () => {
    const kit = suite();
    const id = await made(kit, { rrule: "FREQ=DAILY", timezone: "UTC" });
    const change = (body: string) =>
      kit.request("PATCH", `/v1/schedules/${id}`, { body: { body } });
    await kit.rows(
      `update schedules set created_at = ${movedBy("created_at", -24 * HOUR - 600)},
         next_at = ${movedBy("next_at", -24 * HOUR - 600)} where id = $1`,
      [fromApiId("schedule", id)],
    );
    const due = await read(kit, id);
    assert.equal((await change("Other")).body.next_at, due.next_at);
    await kit.advance(1);
    const [sent] = await past(kit, id);
    assert.deepEqual([sent?.occurrence_at, sent?.status === "skipped"], [due.next_at, false]);
    await kit.request("POST", `/v1/schedules/${id}/pause`);
    const { body } = await change("Third");
    assert.deepEqual([body.status, body.next_at, body.body], ["paused", null, "Third"]);
    await remove(kit, id);
  });

  it("changes apply from the next occurrence on", async () => {
    const kit = suite();
    const id = await made(kit, { rrule: "FREQ=DAILY" });
    const path = `/v1/schedules/${id}`;
    const changed = await kit.request("PATCH", path, { body: { cron: "5 * * * *", body: "New" } });
    assert.deepEqual([changed.body.cron, changed.body.rrule], ["5 * * * *", null]);
    assert.match(changed.body.next_at, /:05:00\.000Z$/);
    await kit.advance(HOUR);
    const [sent] = await past(kit, id);
    const message = await kit.request("GET", `/v1/messages/${sent?.["message_id"]}`);
    assert.equal(message.body.body, "New");
    const ends = new Date(kit.deps.clock.now() + 2 * HOUR * 1_000).toISOString();
    await kit.request("PATCH", path, { body: { end_at: ends } });
    assert.ok((await occurrences(kit, id)).filter((one) => one.status === "upcoming").length <= 2);
    const again = await kit.request("PATCH", path, { body: { end_at: null } });
    assert.equal(again.body.end_at, null);
    await remove(kit, id);
  });

  it("refuse invalid input, naming the field", async () => {
    const kit = suite();
    const refused = async (more: Record<string, unknown>, param: string) =>
      assertRefused(await create(kit, more), 400, "invalid_request", param);
    await refused({ rrule: "FREQ=DAILY", cron: "0 9 * * *" }, "cron");
    await refused({ rrule: null }, "rrule");
    await refused({ rrule: "FREQ=SECONDLY" }, "rrule");
    await refused({ rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, "rrule");
    await refused({ rrule: "FREQ=DAILY;UNTIL=20200101" }, "rrule");
    await refused({ cron: "often" }, "cron");
    await refused({ timezone: "Nowhere" }, "timezone");
    await refused({ start_at: "soon" }, "start_at");
    await refused({ end_at: "2020-01-01T00:00:00Z" }, "end_at");
    await refused({ body: "  " }, "body");
    await refused({ to: "+18765551234" }, "to");
    assertRefused(await create(kit, { from: "+14155559999" }), 403, "sender_not_owned", "from");
  });

  it("are visible to their account only, listed by status and mode, paged by occurrence", async () => {
    const kit = suite();
    const other = await secondAccount(kit);
    await pastTheHour(kit);
    const id = await made(kit, { cron: "0 * * * *" });
    assert.equal((await other.request("GET", `/v1/schedules/${id}`)).status, 404);
    assert.equal((await other.request("GET", `/v1/schedules/${id}/occurrences`)).status, 404);
    const list = async (query: string) =>
      (await kit.request("GET", `/v1/schedules?${query}`)).body.data.map(
        (one: { id: string }) => one.id,
      );
    assert.deepEqual(await list("status=active&mode=test"), [id]);
    assert.deepEqual(await list("status=paused"), []);
    assert.deepEqual(await list("mode=live"), []);
    await kit.advance(3 * HOUR);
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await kit.request("GET", `/v1/schedules/${id}/occurrences?limit=4${cursor}`);
      seen.push(...body.data.map((one: { occurrence_at: string }) => one.occurrence_at));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    assert.equal(seen.length, 13);
    assert.ok(seen.every((at, index) => index === 0 || at < (seen[index - 1] as string)));
    await remove(kit, id);
  });
});
