import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { assertRefused, goLive, stock } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { monthOf, nextMonthMs } from "../../core/platform/clock.ts";

const FROM = "+14155550100";
const TO = "+14155552671";
const PRICE_USD = 0.009;

/** An account with credit and a number, whose free messages and verifications are used up. */
async function liveKit(t: TestContext, env: Record<string, string> = {}): Promise<Kit> {
  const kit = await startKit(t, env, { carriers: createTestCarrier() });
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await exhaustAllowance(kit);
  return kit;
}

async function exhaustAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    `update account_counters set texts_used = 100, verifications_used = 10,
            allowance_month = date_trunc('month', $1::timestamptz at time zone 'UTC')::date`,
    [new Date(kit.deps.clock.now())],
  );
}

async function setLimit(kit: Kit, body: Record<string, unknown>) {
  const answer = await kit.request("PATCH", "/v1/spend-limit", { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

function send(kit: Kit, more: Record<string, unknown> = {}, key = kit.liveKey) {
  const body = { to: TO, from: FROM, body: "Hello", ...more };
  return kit.request("POST", "/v1/messages", { key, body });
}

async function alerts(kit: Kit): Promise<number[]> {
  const rows = await kit.rows(
    "select data from events where type = 'spend.threshold_reached' order by seq",
  );
  return rows.map((row) => row.data.threshold_percent);
}

/** Alerts come from a task; this waits until no job is left. */
async function alertsWhenDone(kit: Kit): Promise<number[]> {
  await until(async () => (await kit.rows("select 1 from jobs")).length === 0);
  return alerts(kit);
}

test("the limit is read, set and removed; invalid values are refused", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const month = monthOf(kit.deps.clock.now());
  const none = await kit.request("GET", "/v1/spend-limit");
  assert.deepEqual(none.body, {
    object: "spend_limit",
    monthly_limit_usd: null,
    alert_thresholds: [50, 80, 100],
    spent_usd: 0,
    reserved_usd: 0,
    remaining_usd: null,
    period_start: `${month}T00:00:00.000Z`,
    resets_at: new Date(nextMonthMs(kit.deps.clock.now())).toISOString(),
  });
  const set = await setLimit(kit, { monthly_limit_usd: 12.5, alert_thresholds: [90, 10, 90] });
  assert.equal(set.monthly_limit_usd, 12.5);
  assert.equal(set.remaining_usd, 12.5);
  assert.deepEqual(set.alert_thresholds, [10, 90]);
  assert.deepEqual((await kit.request("GET", "/v1/spend-limit")).body, set);
  const lifted = await setLimit(kit, { monthly_limit_usd: null, alert_thresholds: null });
  assert.equal(lifted.monthly_limit_usd, null);
  assert.deepEqual(lifted.alert_thresholds, [50, 80, 100]);
  for (const [field, value] of [
    ["monthly_limit_usd", -1],
    ["monthly_limit_usd", 0.0000001],
    ["monthly_limit_usd", 1e12],
    ["monthly_limit_usd", "5"],
    ["alert_thresholds[0]", [0]],
    ["alert_thresholds[0]", [101]],
    ["alert_thresholds[1]", [5, 1.5]],
  ] as const) {
    const body = { [field.replace(/\[.*/, "")]: value };
    const refused = await kit.request("PATCH", "/v1/spend-limit", { body });
    assertRefused(refused, 400, "invalid_request", field);
  }
  const audit = await kit.rows("select action, changes from audit_log order by seq");
  assert.deepEqual(
    audit.map((row) => row.action),
    ["spend_limit.updated", "spend_limit.updated"],
    "one row for each change, none for refusals",
  );
  await setLimit(kit, { monthly_limit_usd: null });
  assert.equal((await kit.rows("select 1 from audit_log")).length, 2, "none for no change");
});

test("L3: of 200 concurrent sends over two processes exactly as many pass as the limit allows", async (t) => {
  const kit = await liveKit(t);
  const second = await startKitOn(
    t,
    kit.connection,
    { LONGWAVE_ROLES: "api" },
    { carriers: createTestCarrier() },
  );
  await setLimit(kit, { monthly_limit_usd: 0.45 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      send(index % 2 === 0 ? kit : second, {}, kit.liveKey),
    ),
  );
  const passed = answers.filter((answer) => answer.status === 201);
  const refused = answers.filter((answer) => answer.status === 429);
  assert.equal(passed.length, 50);
  assert.equal(refused.length, 150);
  for (const answer of refused) {
    assert.equal(answer.body.error.code, "spend_limit_reached");
    const wait = Number(answer.headers.get("retry-after"));
    assert.ok(wait > 0 && wait <= 31 * 86_400, `Retry-After ${wait}`);
  }
  const [count] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(count.n, 50, "a refusal stores nothing");
  const now = (await kit.request("GET", "/v1/spend-limit")).body;
  assert.equal(now.spent_usd, 0.45);
  assert.equal(now.remaining_usd, 0);
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
  assert.deepEqual(await alertsWhenDone(kit), [50, 80, 100]);
});

test("L7: each threshold emits one event a month, also if it is already passed when set", async (t) => {
  const kit = await liveKit(t);
  for (let sent = 0; sent < 4; sent += 1) assert.equal((await send(kit)).status, 201);
  assert.deepEqual(await alertsWhenDone(kit), [], "no limit, no alert");
  await setLimit(kit, { monthly_limit_usd: 5 * PRICE_USD });
  assert.deepEqual(await alerts(kit), [50, 80], "passed as it is set");
  await setLimit(kit, { alert_thresholds: [50, 60, 90] });
  assert.deepEqual(await alerts(kit), [50, 80, 60], "50 was told of already");
  assert.equal((await send(kit)).status, 201);
  assert.deepEqual(await alertsWhenDone(kit), [50, 80, 60, 90]);
  assertRefused(await send(kit), 429, "spend_limit_reached");
  await setLimit(kit, { monthly_limit_usd: 100 });
  await setLimit(kit, { monthly_limit_usd: 5 * PRICE_USD });
  assert.deepEqual(await alertsWhenDone(kit), [50, 80, 60, 90], "not twice in a month");

  await kit.advance((nextMonthMs(kit.deps.clock.now()) - kit.deps.clock.now()) / 1_000 + 1);
  await exhaustAllowance(kit);
  assert.equal((await send(kit)).status, 201, "a new month has room again");
  for (let sent = 0; sent < 2; sent += 1) assert.equal((await send(kit)).status, 201);
  assert.deepEqual((await alertsWhenDone(kit)).slice(4), [50, 60], "and tells again");
  const [event] = await kit.rows(
    "select data from events where type = 'spend.threshold_reached' order by seq desc limit 1",
  );
  assert.equal(event.data.limit_usd, 0.045);
  assert.equal(event.data.spent_usd, 0.027);
  assert.equal(event.data.period_start, `${monthOf(kit.deps.clock.now())}T00:00:00.000Z`);
});

test("at the limit, billed requests are refused; free ones and recurring charges pass", async (t) => {
  const kit = await liveKit(t, { LONGWAVE_VERIFY_NUMBERS: "+14155550199" });
  await setLimit(kit, { monthly_limit_usd: 0.003 });
  assertRefused(await send(kit), 429, "spend_limit_reached");
  const preview = await send(kit, { dry_run: true });
  assert.deepEqual(preview.body.blocked_by, ["spend_limit_reached"]);

  const verify = (key: string) =>
    kit.request("POST", "/v1/verify", { key, body: { phone: "+14155552672" } });
  assertRefused(await verify(kit.liveKey), 429, "spend_limit_reached");

  await stock(kit, "+14155550123");
  const bought = await kit.request("POST", "/v1/numbers", {
    key: kit.liveKey,
    body: { phone_number: "+14155550123" },
  });
  assertRefused(bought, 429, "spend_limit_reached");
  assert.equal(
    (await kit.rows("select 1 from numbers where phone_number = '+14155550123'")).length,
    0,
  );

  await giveNumber(kit, { phone: "+14155550177", mode: "test" });
  const test = await send(kit, { from: "+14155550177" }, kit.testKey);
  assert.equal(test.status, 201, "the sandbox is free");
  assert.equal((await verify(kit.testKey)).status, 201);
  await kit.rows("update account_counters set texts_used = 99");
  assert.equal((await send(kit)).status, 201, "a free text goes through");
  assertRefused(await send(kit), 429, "spend_limit_reached");
});

test("a code check is never refused, and a verification counts when it succeeds", async (t) => {
  const kit = await liveKit(t, { LONGWAVE_VERIFY_NUMBERS: "+14155550199" });
  await setLimit(kit, { monthly_limit_usd: 0.03 });
  const phone = "+14155552672";
  const started = await kit.request("POST", "/v1/verify", { key: kit.liveKey, body: { phone } });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  await setLimit(kit, { monthly_limit_usd: 0.001 });
  const [text] = (
    kit.deps.carriers as unknown as { submitted: { body: string }[] }
  ).submitted.slice(-1);
  const code = /\d{6}/.exec(text?.body ?? "")?.[0];
  const checked = await kit.request("POST", "/v1/verify/check", {
    key: kit.liveKey,
    body: { phone, code },
  });
  assert.equal(checked.status, 200);
  assert.equal(checked.body.verified, true);
  assert.equal(checked.body.charged, true);
  assert.equal((await kit.request("GET", "/v1/spend-limit")).body.spent_usd, 0.025);
  assert.deepEqual(await alertsWhenDone(kit), [50, 80, 100]);
});

test("batch rows and due messages fail, and can be retried once the limit allows", async (t) => {
  const kit = await liveKit(t);
  await setLimit(kit, { monthly_limit_usd: 2 * PRICE_USD });
  const scheduled = await send(kit, { scheduled_at: kit.deps.clock.now() + 60_000 });
  assert.equal(scheduled.status, 201);
  const recipients = [1, 2, 3, 4].map((n) => ({ to: `+1415555268${n}` }));
  const batch = await kit.request("POST", "/v1/batches", {
    key: kit.liveKey,
    body: { from: FROM, body: "Hello", recipients },
  });
  assert.equal(batch.status, 201);
  await kit.advance(120);
  const path = `/v1/batches/${batch.body.id}`;
  const done = (await kit.request("GET", path)).body;
  assert.deepEqual([done.status, done.counts.sent, done.counts.failed], ["complete", 2, 2]);
  const rows = (await kit.request("GET", `${path}/recipients?status=failed`)).body.data;
  assert.deepEqual(
    rows.map((row: { failure: { code: string } }) => row.failure.code),
    ["spend_limit_reached", "spend_limit_reached"],
  );
  const due = (await kit.request("GET", `/v1/scheduled_messages/${scheduled.body.id}`)).body;
  assert.equal(due.status, "failed");
  assert.equal(due.failure.code, "spend_limit_reached");
  await setLimit(kit, { monthly_limit_usd: 1 });
  const retried = await kit.request("POST", `${path}/retry`, { key: kit.liveKey });
  assert.equal(retried.body.affected, 2);
  await kit.advance(60);
  assert.equal((await kit.request("GET", path)).body.counts.sent, 4);
  const held = await send(kit, { quiet_hours: nightNow(kit.deps.clock.now()) });
  assert.equal(held.status, 202, JSON.stringify(held.body));
  const { spent_usd, reserved_usd, remaining_usd } = (await kit.request("GET", "/v1/spend-limit"))
    .body;
  assert.deepEqual([spent_usd, reserved_usd, remaining_usd], [0.036, PRICE_USD, 0.955]);
});

/** Four hours around the present one in the time zone of TO. */
function nightNow(nowMs: number) {
  const clock = { timeZone: "America/Los_Angeles", hour: "2-digit", hourCycle: "h23" } as const;
  const hour = Number(new Intl.DateTimeFormat("en-GB", clock).format(nowMs));
  const at = (ahead: number) => `${String((hour + ahead) % 24).padStart(2, "0")}:00`;
  return { start: at(22), end: at(2) };
}

test("at the limit, occurrences and runs fail with the reason and send nothing", async (t) => {
  const kit = await liveKit(t);
  await setLimit(kit, { monthly_limit_usd: 0.001 });
  const asLive = async (path: string, body: unknown) =>
    (await kit.request("POST", `/v1${path}`, { key: kit.liveKey, body })).body;
  const rule = { rrule: "FREQ=HOURLY", timezone: "UTC" };
  const schedule = await asLive("/schedules", { to: TO, from: FROM, body: "Again", ...rule });
  await asLive("/contacts", { phone_number: TO });
  const automation = await asLive("/automations", {
    name: "Greets",
    trigger: { event: "joined" },
    steps: [{ type: "send", from: FROM, body: "Hello" }],
  });
  assert.equal((await asLive("/track", { event: "joined", phone_number: TO })).matched, 1);
  await kit.advance(3_600);
  const [run] = (await kit.request("GET", `/v1/automations/${automation.id}/runs`)).body.data;
  assert.deepEqual([run.status, run.reason], ["failed", "spend_limit_reached"]);
  const path = `/v1/schedules/${schedule.id}/occurrences`;
  const { body } = await kit.request("GET", path, { key: kit.liveKey });
  const past = body.data.find((one: { status: string }) => one.status !== "upcoming");
  assert.deepEqual([past.status, past.failure.code], ["failed", "spend_limit_reached"]);
  const failed = { status: "failed", failure_code: "spend_limit_reached", price_micros: 0 };
  const messages = await kit.rows(
    "select status, failure_code, price_micros::integer from messages",
  );
  assert.deepEqual(messages, [failed, failed]);
  assert.equal((kit.deps.carriers as TestCarrier).submitted.length, 0);
});

test("inbound messages and monthly charges pass the limit and emit threshold events", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, "+14155550123");
  const bought = await kit.request("POST", "/v1/numbers", {
    key: kit.liveKey,
    body: { phone_number: "+14155550123" },
  });
  assert.equal(bought.status, 201);
  await setLimit(kit, { monthly_limit_usd: 0.001 });
  // Advances to the end of the month that was paid for.
  const [{ paid_until }] = await kit.rows(
    "select paid_until from numbers where phone_number = '+14155550123'",
  );
  await kit.advance((paid_until - kit.deps.clock.now()) / 1_000 + 1);
  const spent = (await kit.request("GET", "/v1/spend-limit")).body;
  assert.equal(spent.spent_usd, 0.95, "the month was charged all the same");
  assert.equal(spent.remaining_usd, 0, "never less than nothing");
  assert.deepEqual((await alertsWhenDone(kit)).slice(-3), [50, 80, 100]);
  const carrier = kit.deps.carriers as TestCarrier;
  const text = { carrier: "test-link", reference: "in-1", from: TO, to: FROM, body: "Hello" };
  await carrier.sink().inbound(text);
  await kit.advance(1);
  assert.equal((await kit.rows("select 1 from messages where status = 'received'")).length, 1);
  assert.equal((await kit.request("GET", "/v1/spend-limit")).body.spent_usd, 0.954);
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
});
