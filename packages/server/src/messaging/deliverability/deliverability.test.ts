import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, type TestContext } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../testing/live.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { dropsAmong } from "./drops.ts";
import { splitHourAt } from "./split-hour.ts";

const folder = mkdtempSync(join(tmpdir(), "lw-deliverability-"));
const CARRIERS = join(folder, "carriers.json");
const LINK = "simulated-link";
writeFileSync(CARRIERS, JSON.stringify({ carriers: [{ name: LINK, type: "simulator" }] }));
after(() => rmSync(folder, { recursive: true, force: true }));

const freshKit = freshAccounts({ LONGWAVE_CARRIERS: CARRIERS });

const FROM = "+15005550100";
const SECOND = "+15005550101";
const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;

async function sendTo(kit: Kit, to: string, from = FROM): Promise<void> {
  const key = from.startsWith("+1500555") ? kit.testKey : kit.liveKey;
  const body = { to, from, body: "Hi" };
  const answer = await kit.request("POST", "/v1/messages", { key, body });
  assert.ok([201, 202, 502].includes(answer.status), JSON.stringify(answer.body));
}

async function sendMany(kit: Kit, to: string, count: number, from = FROM): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => sendTo(kit, to, from)));
}

let liveNumbers = 0;

/** A live account with a simulated carrier, and numbers that may text everybody. */
async function liveSenders<const N extends number>(t: TestContext, count: N) {
  const kit = await freshKit(t);
  await goLive(kit);
  const numbers: string[] = [];
  for (let given = 0; given < count; given += 1) {
    liveNumbers += 1;
    const phone = `+1206555${2_000 + liveNumbers}`;
    numbers.push(await giveNumber(kit, { phone, mode: "live", senderState: "active" }));
  }
  return { kit, from: numbers[0] ?? "", second: numbers[1] ?? "" };
}

async function read(kit: Kit, query = "", key = kit.testKey) {
  const answer = await kit.request("GET", `/v1/deliverability${query}`, { key });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

async function alarms(kit: Kit) {
  const rows = await kit.rows(
    "select mode, data from events where type = 'deliverability.degraded' order by seq",
  );
  for (const { mode } of rows) assert.equal(mode, "live");
  return rows.map((row) => row.data);
}

const counts = (sent: number, delivered: number, failed: number, pending: number) => {
  const decided = delivered + failed;
  const delivery_rate = decided === 0 ? null : Number((delivered / decided).toFixed(6));
  return { sent, delivered, failed, pending, delivery_rate };
};

test("sandbox messages are counted by number and hour, each outcome once", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: FROM });
  await giveNumber(kit, { phone: SECOND });
  await sendMany(kit, "+15005550000", 3);
  await sendTo(kit, "+15005550001");
  await sendTo(kit, "+15005550004");
  await sendTo(kit, "+15005550005", SECOND);
  await sendTo(kit, "+15005550002", SECOND);
  await kit.advance(1);
  const first = await read(kit);
  assert.deepEqual(first.totals, counts(5, 3, 2, 1), "one is still to be tried again");
  await kit.advance(60);
  const now = await read(kit);
  assert.equal(now.object, "deliverability");
  assert.equal(now.mode, "test");
  assert.equal(now.hours, 24);
  assert.deepEqual(now.totals, counts(6, 4, 2, 1));
  assert.deepEqual(now.by_carrier, [{ carrier: null, ...counts(6, 4, 2, 1) }]);
  assert.deepEqual(now.by_number, [
    { phone_number: FROM, ...counts(4, 3, 2, 0) },
    { phone_number: SECOND, ...counts(2, 1, 0, 1) },
  ]);
  assert.equal(now.series.length, 24);
  const busy = now.series.filter((hour: { sent: number }) => hour.sent > 0);
  assert.equal(
    busy.reduce((sum: number, hour: { delivered: number }) => sum + hour.delivered, 0),
    4,
  );
  assert.equal(
    now.series.at(-1).hour,
    new Date(Math.floor(kit.deps.clock.now() / HOUR_MS) * HOUR_MS).toISOString(),
  );

  const [messages] = await kit.rows(
    `select count(*) filter (where status = 'delivered')::int as delivered,
            count(*) filter (where status = 'failed')::int as failed from messages`,
  );
  assert.deepEqual([messages.delivered, messages.failed], [4, 2], "as the messages say");

  await goLive(kit);
  assert.deepEqual((await read(kit, "", kit.liveKey)).totals, counts(0, 0, 0, 0), "the other mode");
  await kit.advance(3 * HOUR_SECONDS);
  assert.deepEqual((await read(kit, "?hours=2")).totals, counts(0, 0, 0, 0), "out of the window");
  assert.equal((await read(kit, "?hours=720")).series.length, 720);
  for (const hours of ["0", "721", "x", "1.5"]) {
    const refused = await kit.request("GET", `/v1/deliverability?hours=${hours}`);
    assertRefused(refused, 400, "invalid_request", "hours");
  }
  const other = await secondAccount(kit);
  assert.deepEqual((await read(other, "", other.testKey)).totals, counts(0, 0, 0, 0));
});

async function liveKit(t: TestContext): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier("test-link");
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit);
  await giveNumber(kit, { phone: "+14155550100", mode: "live", senderState: "active" });
  return { kit, carrier };
}

test("live messages are counted by carrier; late and repeated receipts do not count", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const references: string[] = [];
  const accept = () => {
    const reference = `r-${references.length}`;
    references.push(reference);
    return { kind: "accepted" as const, references: [reference] };
  };
  const refuse = () => ({ kind: "refused" as const, isTemporary: false, carrierCode: "x" });
  carrier.answers = [accept, accept, accept, refuse, accept];
  for (let sent = 0; sent < 5; sent += 1) {
    const body = { to: "+14155552671", from: "+14155550100", body: "Hi" };
    await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  }
  const bring = (reference: string, state: "delivered" | "failed") =>
    carrier.sink().receipt({
      carrier: "test-link",
      reference,
      state,
      carrierCode: null,
      raw: `id:${reference} stat:${state}`,
      ...(state === "failed" ? { failure: "unreachable" } : {}),
    });
  await bring("r-0", "delivered");
  await bring("r-0", "delivered");
  await bring("r-0", "failed");
  await bring("r-1", "failed");
  await kit.advance(5);
  const { totals, by_carrier } = await read(kit, "", kit.liveKey);
  assert.deepEqual(totals, counts(4, 1, 2, 2));
  assert.deepEqual(by_carrier, [{ carrier: "test-link", ...counts(4, 1, 2, 2) }]);
});

test("sandbox messages raise no alarm", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: FROM });
  await sendMany(kit, "+15005550000", 60);
  await kit.advance(3 * HOUR_SECONDS);
  await sendMany(kit, "+15005550008", 60);
  await kit.advance(61);
  assert.equal((await read(kit, "?hours=1")).totals.failed, 60);
  assert.deepEqual(await alarms(kit), []);
});

/** Stops the clock at `minute` past the hour, an hour or two from now. */
async function stopAtMinute(kit: Kit, minute: number): Promise<void> {
  kit.stopClock();
  const next = (Math.floor(kit.deps.clock.now() / HOUR_MS) + 2) * HOUR_MS + minute * 60_000;
  await kit.advance((next - kit.deps.clock.now()) / 1_000);
}

const minutes = (count: number) => count * 60;

test("the last hour is the last sixty minutes, not the clock's hour", async (t) => {
  const { kit, from } = await liveSenders(t, 1);
  await sendMany(kit, "+15005550000", 60, from);
  await stopAtMinute(kit, 5);
  await sendMany(kit, "+15005550008", 30, from);
  await kit.advance(minutes(105));
  await sendMany(kit, "+15005550008", 30, from);
  await kit.advance(minutes(2));
  assert.deepEqual(await alarms(kit), [], "the first thirty are older than an hour");
  await kit.advance(minutes(28));
  await sendMany(kit, "+15005550008", 19, from);
  await kit.advance(minutes(2));
  assert.deepEqual(await alarms(kit), [], "49 over the turn of the hour");
  await sendTo(kit, "+15005550008", from);
  await kit.advance(minutes(2));
  const told = { rate: 0, baseline_rate: 0.666667, messages: 50, window_minutes: 60 };
  assert.deepEqual(await alarms(kit), [
    { scope: "all", value: null, ...told },
    { scope: "carrier", value: LINK, ...told },
    { scope: "number", value: from, ...told },
  ]);
});

test("the rate covers the whole hour, not its last minutes", async (t) => {
  const { kit, from } = await liveSenders(t, 1);
  await sendMany(kit, "+15005550000", 60, from);
  await stopAtMinute(kit, 30);
  await kit.advance(minutes(60));
  await sendMany(kit, "+15005550000", 210, from);
  await kit.advance(minutes(31));
  await sendMany(kit, "+15005550008", 50, from);
  await kit.advance(minutes(1));
  assert.deepEqual(await alarms(kit), [], "210 of 260 arrived");
  await kit.advance(minutes(28));
  assert.deepEqual(await alarms(kit), []);
  await kit.advance(minutes(2));
  const [all] = await alarms(kit);
  assert.deepEqual([all.rate, all.baseline_rate, all.messages], [0, 1, 50]);
});

test("the day before is 24 hours, to the minute", async (t) => {
  const { kit, from } = await liveSenders(t, 1);
  await stopAtMinute(kit, 5);
  await sendMany(kit, "+15005550000", 60, from);
  await kit.advance(minutes(10));
  await kit.advance(25 * HOUR_SECONDS);
  // From here on the sixty are older than 25 hours, and within the hour of the oldest count.
  await sendMany(kit, "+15005550008", 50, from);
  await kit.advance(minutes(2));
  assert.deepEqual(await alarms(kit), [], "nothing to measure it by");
  await kit.advance(minutes(70));
  assert.deepEqual(await alarms(kit), [], "the fifty are past");
});

test("refusals and retries count at their final outcome, by carrier", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const send = async () => {
    const body = { to: "+14155552671", from: "+14155550100", body: "Hi" };
    await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  };
  let sent = 0;
  carrier.answers = Array.from({ length: 60 }, () => () => {
    sent += 1;
    return { kind: "accepted" as const, references: [`ok-${sent}`] };
  });
  for (let count = 0; count < 60; count += 1) await send();
  for (let count = 1; count <= 60; count += 1) {
    await carrier.sink().receipt({
      ...{ carrier: "test-link", reference: `ok-${count}`, state: "delivered", carrierCode: null },
      raw: `id:ok-${count}`,
    });
  }
  await stopAtMinute(kit, 30);
  const refusal = (isTemporary: boolean) => () =>
    ({ kind: "refused", isTemporary, carrierCode: "x" }) as const;
  // Created at half past, refused permanently on the third retry, 12.5 minutes later.
  carrier.answers = [
    ...Array.from({ length: 75 }, () => refusal(true)),
    ...Array.from({ length: 25 }, () => refusal(false)),
  ];
  for (let count = 0; count < 25; count += 1) await send();
  await kit.advance(minutes(35));
  assert.deepEqual(await alarms(kit), []);
  carrier.answers = Array.from({ length: 25 }, () => refusal(false));
  for (let count = 0; count < 25; count += 1) await send();
  // By then the messages of half past are more than an hour old.
  await kit.advance(minutes(32));
  const scopes = (await alarms(kit)).map((one) => [one.scope, one.value, one.messages]);
  assert.deepEqual(scopes, [
    ["all", null, 50],
    ["carrier", "test-link", 50],
    ["number", "+14155550100", 50],
  ]);
});

test("a drop is measured in points against the day before", () => {
  const now = Date.parse("2026-11-16T15:00:00Z");
  const at = (iso: string, delivered: number, undelivered: number) => ({
    startsAt: Date.parse(iso),
    endsAt: Date.parse(iso) + HOUR_MS,
    number: FROM,
    carrier: "link",
    delivered,
    undelivered,
    refused: 0,
  });
  const scopes = (...slices: ReturnType<typeof at>[]) =>
    dropsAmong(slices, now).map((one) => one.scope);
  const baseline = at("2026-11-16T02:00:00Z", 100, 0);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 40, 10)), [
    "all",
    "carrier",
    "number",
  ]);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 41, 9)), []);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 0, 49)), []);
  assert.deepEqual(
    scopes(at("2026-11-15T13:00:00Z", 100, 0), at("2026-11-16T14:00:00Z", 0, 50)),
    [],
  );
  assert.deepEqual(scopes(at("2026-11-16T14:00:00Z", 0, 50)), [], "nothing to measure it by");
});

test("a slice across an edge never hides a drop", () => {
  const now = Date.parse("2026-11-16T14:30:00Z");
  const slice = { number: FROM, carrier: "", delivered: 0, undelivered: 0, refused: 0 };
  const hour = (iso: string, counts: object) => {
    const startsAt = Date.parse(iso);
    return { ...slice, startsAt, endsAt: startsAt + HOUR_MS, ...counts };
  };
  const arrived = hour("2026-11-16T02:00:00Z", { delivered: 100 });
  const across = hour("2026-11-16T13:00:00Z", { delivered: 900, undelivered: 40, refused: 10 });
  assert.equal(dropsAmong([arrived, across], now).length, 2);
  assert.equal(dropsAmong([arrived, { ...across, endsAt: now - HOUR_MS }], now).length, 0);
  const first = hour("2026-11-15T13:00:00Z", { delivered: 1, undelivered: 9 });
  const recent = hour("2026-11-16T14:00:00Z", { undelivered: 50 });
  assert.equal(dropsAmong([first, recent], now).length, 2);
});

test("an hour of very many messages is split evenly, without reading messages", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await kit.rows("alter table message_statuses rename to statuses_hidden");
  const startsAt = Date.parse("2026-11-16T13:00:00Z");
  const slice = { number: FROM, carrier: "", startsAt, endsAt: startsAt + HOUR_MS };
  const busy = { ...slice, delivered: 24_000, undelivered: 400, refused: 40 };
  const owner = { shard: kit.account.shard, account_id: kit.account.id, mode: "test" as const };
  const at = startsAt + HOUR_MS / 4;
  assert.deepEqual(await splitHourAt(kit.deps, owner, [busy], at), [
    { ...slice, endsAt: at, delivered: 6_000, undelivered: 100, refused: 10 },
    { ...slice, startsAt: at, delivered: 18_000, undelivered: 300, refused: 30 },
  ]);
});

test("deliverability reads hourly counts, never messages", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await giveNumber(kit, { phone: FROM });
  await sendTo(kit, "+15005550000");
  await kit.rows("alter table messages rename to messages_hidden");
  assert.equal((await read(kit)).totals.sent, 1);
});
