import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../testing/give-number.ts";
import { type Kit, startKit } from "../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../testing/live.ts";
import { createTestCarrier, type TestCarrier } from "../../testing/test-carrier.ts";
import { dropsAmong } from "./watch.ts";

const FROM = "+15005550100";
const SECOND = "+15005550101";
const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;

async function sendTo(kit: Kit, to: string, from = FROM): Promise<void> {
  const answer = await kit.request("POST", "/v1/messages", { body: { to, from, body: "Hi" } });
  assert.ok([201, 202, 502].includes(answer.status), JSON.stringify(answer.body));
}

async function sendMany(kit: Kit, to: string, count: number, from = FROM): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => sendTo(kit, to, from)));
}

async function read(kit: Kit, query = "", key = kit.testKey) {
  const answer = await kit.request("GET", `/v1/deliverability${query}`, { key });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

async function alarms(kit: Kit) {
  const rows = await kit.rows(
    "select data from events where type = 'deliverability.degraded' order by seq",
  );
  return rows.map((row) => row.data);
}

const counts = (sent: number, delivered: number, failed: number, pending: number) => {
  const decided = delivered + failed;
  const delivery_rate = decided === 0 ? null : Number((delivered / decided).toFixed(6));
  return { sent, delivered, failed, pending, delivery_rate };
};

test("sandbox texts are counted by number and hour, and each outcome once", async (t) => {
  const kit = await startKit(t);
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

test("live texts are counted by carrier; late and repeated receipts count nothing", async (t) => {
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

test("a sharp drop is told of once in six hours, by what it concerns", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: FROM });
  await giveNumber(kit, { phone: SECOND });
  await sendMany(kit, "+15005550000", 60);
  await sendMany(kit, "+15005550000", 60, SECOND);
  await kit.advance(3 * HOUR_SECONDS);
  assert.deepEqual(await alarms(kit), []);
  await sendMany(kit, "+15005550008", 49);
  await kit.advance(61);
  assert.deepEqual(await alarms(kit), [], "too few to judge by");
  await sendTo(kit, "+15005550008");
  await kit.advance(61);
  const [all, number, ...more] = await alarms(kit);
  assert.equal(more.length, 0, JSON.stringify(more));
  assert.deepEqual(
    [all.scope, all.value, all.rate, all.baseline_rate, all.messages],
    ["all", null, 0, 1, 50],
  );
  assert.ok(all.window_minutes >= 1 && all.window_minutes <= 120);
  assert.deepEqual([number.scope, number.value], ["number", FROM]);
  await sendMany(kit, "+15005550008", 10);
  await kit.advance(HOUR_SECONDS / 2);
  assert.equal((await alarms(kit)).length, 2, "not again so soon");
  await sendMany(kit, "+15005550000", 200, SECOND);
  await kit.advance(6 * HOUR_SECONDS);
  await sendMany(kit, "+15005550008", 60);
  await kit.advance(61);
  assert.equal((await alarms(kit)).length, 4, "again after six hours");
});

test("a drop is judged by points, against the day before it", () => {
  const now = Date.parse("2026-11-16T14:30:00Z");
  const at = (iso: string, delivered: number, undelivered: number) => ({
    hour: Date.parse(iso),
    number: FROM,
    carrier: "link",
    sent: delivered + undelivered,
    delivered,
    undelivered,
    refused: 0,
  });
  const scopes = (...rows: ReturnType<typeof at>[]) =>
    dropsAmong(rows, now).map((one) => one.scope);
  const baseline = at("2026-11-16T02:00:00Z", 100, 0);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 40, 10)), [
    "all",
    "carrier",
    "number",
  ]);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 41, 9)), []);
  assert.deepEqual(scopes(baseline, at("2026-11-16T14:00:00Z", 0, 49)), []);
  assert.equal(
    scopes(baseline, at("2026-11-16T13:00:00Z", 0, 25), at("2026-11-16T14:00:00Z", 0, 25)).length,
    3,
    "over the turn of an hour",
  );
  assert.deepEqual(
    scopes(at("2026-11-15T12:00:00Z", 100, 0), at("2026-11-16T14:00:00Z", 0, 50)),
    [],
  );
  assert.deepEqual(scopes(at("2026-11-16T14:00:00Z", 0, 50)), [], "nothing to measure it by");
});

test("the index finds what is asked for: nothing reads messages", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await giveNumber(kit, { phone: FROM });
  await sendTo(kit, "+15005550000");
  await kit.rows("alter table messages rename to messages_hidden");
  assert.equal((await read(kit)).totals.sent, 1);
});
