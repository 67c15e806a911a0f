import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, secondAccount } from "../../../testing/live.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { sumByCustomer } from "./index.ts";

const freshKit = freshAccounts();

const NOTHING = { count: 0, cost_usd: 0 };

async function addCustomer(kit: Kit): Promise<string> {
  return (await kit.request("POST", "/v1/customers", { body: { name: "Acme" } })).body.id;
}

/** Inserts a message at a given time. */
async function addText(
  kit: Kit,
  customer: string,
  at: string,
  direction: "outbound" | "inbound",
  priceMicros: number,
): Promise<void> {
  const ms = Date.parse(at);
  const isOut = direction === "outbound";
  await kit.rows(
    `with listed as (
       insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
       encoding, segments, price_micros, billing, simulated, customer_id, created_at, sent_at)
     values ($1, $2, $3, $4, $5, 'live', '+12065551234', '+12125551000', 'Hi', 'gsm7', 1, $6, 'settled',
       false, $7, $8, $9)
       returning shard, account_id, mode, status, id, simulated
     )
     insert into message_statuses (shard, account_id, mode, status, id, simulated) select * from listed`,
    [
      kit.account.shard,
      kit.account.id,
      kit.deps.ids.makeAt(ms),
      direction,
      isOut ? "sent" : "received",
      priceMicros,
      fromApiId("customer", customer),
      new Date(ms),
      isOut ? new Date(ms) : null,
    ],
  );
}

test("live messages are counted and priced by direction and UTC day", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit);
  const customer = await addCustomer(kit);
  const another = await addCustomer(kit);
  await addText(kit, customer, "2026-03-01T00:00:00.000Z", "outbound", 9_000);
  await addText(kit, customer, "2026-03-01T23:59:59.999Z", "outbound", 9_000);
  await addText(kit, customer, "2026-03-01T12:00:00.000Z", "inbound", 4_000);
  await addText(kit, customer, "2026-03-02T00:00:00.000Z", "outbound", 0);
  await addText(kit, customer, "2026-03-04T00:00:00.000Z", "inbound", 4_000);
  await addText(kit, another, "2026-03-01T12:00:00.000Z", "outbound", 9_000);
  const usage = (query: string, key = kit.liveKey) =>
    kit.request("GET", `/v1/customers/${customer}/usage?${query}`, { key });

  const march = await usage(
    "created_after=2026-03-01T00:00:00Z&created_before=2026-03-04T00:00:00Z",
  );
  assert.equal(march.status, 200);
  assert.deepEqual(march.body, {
    object: "customer_usage",
    customer_id: customer,
    created_after: "2026-03-01T00:00:00.000Z",
    created_before: "2026-03-04T00:00:00.000Z",
    totals: {
      outbound: { count: 3, cost_usd: 0.018 },
      inbound: { count: 1, cost_usd: 0.004 },
      verifications: NOTHING,
    },
    data: [
      {
        date: "2026-03-01",
        outbound: { count: 2, cost_usd: 0.018 },
        inbound: { count: 1, cost_usd: 0.004 },
        verifications: NOTHING,
      },
      {
        date: "2026-03-02",
        outbound: { count: 1, cost_usd: 0 },
        inbound: NOTHING,
        verifications: NOTHING,
      },
    ],
  });
  const start = Date.parse("2026-03-01T12:00:00.001Z");
  const half = await usage(`created_after=${start}&created_before=${start + 43_200_000}`);
  assert.equal(half.body.totals.outbound.count, 2, "epoch milliseconds, and the end is left out");
  const sandbox = await usage(`created_after=${start}`, kit.testKey);
  assert.deepEqual(sandbox.body.data, [], "a test key sees the sandbox");

  const whole = await kit.request(
    "GET",
    "/v1/usage?by=day&created_after=2026-03-01T00:00:00Z&created_before=2026-03-04T00:00:00Z",
    { key: kit.liveKey },
  );
  const { customer_id: _, ...shape } = march.body;
  assert.deepEqual(whole.body, {
    ...shape,
    object: "usage",
    mode: "live",
    totals: { ...march.body.totals, outbound: { count: 4, cost_usd: 0.027 } },
    data: [{ ...march.body.data[0], outbound: { count: 3, cost_usd: 0.027 } }, march.body.data[1]],
  });
  const none = await kit.request("GET", "/v1/usage?by=day");
  assert.deepEqual([none.body.mode, none.body.data], ["test", []]);
  assertRefused(await kit.request("GET", "/v1/usage?by=hour"), 400, "invalid_request", "by");
});

test("a finished day is counted once and stored, unless one of its messages still waits to be sent", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await goLive(kit);
  const customer = await addCustomer(kit);
  await addText(kit, customer, "2026-03-01T12:00:00.000Z", "outbound", 9_000);
  await addText(kit, customer, "2026-03-02T12:00:00.000Z", "outbound", 9_000);
  await kit.rows("update messages set status = 'queued' where created_at >= '2026-03-02'");
  await kit.rows(
    "update message_statuses set status = 'queued' where id in (select id from messages where status = 'queued')",
  );
  const read = async (after: string, before: string) => {
    const query = `by=day&created_after=${after}&created_before=${before}`;
    const { body } = await kit.request("GET", `/v1/usage?${query}`, { key: kit.liveKey });
    const days = body.data.map((day: { date: string; outbound: { cost_usd: number } }) => [
      day.date,
      day.outbound.cost_usd,
    ]);
    return { days, total: body.totals.outbound };
  };
  const all = () => read("2026-02-27T00:00:00Z", "2026-03-04T12:00:00Z");
  const both = [
    ["2026-03-01", 0.009],
    ["2026-03-02", 0.009],
  ];
  assert.deepEqual((await all()).days, both);
  const kept = await kit.rows("select day::text, outbound from usage_days order by day");
  assert.deepEqual(kept, [{ day: "2026-03-01", outbound: 1 }]);
  // The carrier fails the message finally: it cost nothing.
  await kit.rows("update messages set price_micros = 0, status = 'failed' where status = 'queued'");
  await kit.rows("update message_statuses set status = 'failed' where status = 'queued'");
  await kit.rows("update messages set price_micros = 1 where created_at < '2026-03-02'");
  const now = await all();
  assert.deepEqual(now, {
    days: [both[0], ["2026-03-02", 0]],
    total: { count: 2, cost_usd: 0.009 },
  });
  const [days] = await kit.rows("select count(*)::int as kept from usage_days");
  assert.equal(days.kept, 2, "of the days before the account those on which there was a text");
  // Part of a day is counted, even if the whole day is stored.
  const part = await read("2026-03-01T13:00:00Z", "2026-03-02T13:00:00Z");
  assert.deepEqual(part.total, { count: 1, cost_usd: 0 });
  await kit.rows("update usage_days set outbound = 100 where day = '2026-03-01'");
  assert.equal((await all()).total.count, 101, "stored days equal counted days");
});

test("days of a time zone begin at its midnight, and are stored unless its clocks change", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await goLive(kit);
  const customer = await addCustomer(kit);
  // New York is UTC-5 until 2026-03-08 02:00, then UTC-4.
  for (const at of [
    "2026-03-07T04:59:59.999Z",
    "2026-03-07T05:00:00.000Z",
    "2026-03-08T04:59:59.999Z",
    "2026-03-08T05:00:00.000Z",
    "2026-03-09T03:59:59.999Z",
    "2026-03-09T04:00:00.000Z",
    "2026-03-10T04:00:00.000Z",
  ])
    await addText(kit, customer, at, "outbound", 9_000);
  const window = "created_after=2026-03-07T05:00:00Z&created_before=2026-03-10T04:00:00Z";
  const read = async (path: string, zone: string) => {
    const asked = `${path}?${window}&timezone=${encodeURIComponent(zone)}`;
    const { status, body } = await kit.request("GET", asked, { key: kit.liveKey });
    assert.equal(status, 200);
    return body.data.map((row: { date: string; outbound: { count: number } }) => [
      row.date,
      row.outbound.count,
    ]);
  };
  const days = [
    ["2026-03-07", 2],
    ["2026-03-08", 2],
    ["2026-03-09", 1],
  ];
  assert.deepEqual(await read("/v1/usage", "America/New_York"), days);
  assert.deepEqual(await read(`/v1/customers/${customer}/usage`, "America/New_York"), days);
  const kept = await kit.rows(
    "select distinct day::text, utc_offset_minutes as ahead, outbound from usage_days order by day",
  );
  assert.deepEqual(kept, [
    { day: "2026-03-07", ahead: -300, outbound: 2 },
    { day: "2026-03-09", ahead: -240, outbound: 1 },
  ]);
  await kit.rows("update usage_days set outbound = 100 where day = '2026-03-07'");
  const [, ...later] = days;
  assert.deepEqual(await read("/v1/usage", "America/New_York"), [["2026-03-07", 100], ...later]);
  assert.deepEqual(
    await read("/v1/usage", "UTC"),
    [
      ["2026-03-07", 1],
      ["2026-03-08", 2],
      ["2026-03-09", 2],
    ],
    "days of another offset are other days",
  );
  const refused = await kit.request("GET", "/v1/usage?timezone=Mars/Olympus");
  assertRefused(refused, 400, "invalid_request", "timezone");
});

test("customers are counted together, and each gets its own stored days", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await goLive(kit);
  const [first, second, idle] = [
    await addCustomer(kit),
    await addCustomer(kit),
    await addCustomer(kit),
  ];
  await addText(kit, first, "2026-03-01T12:00:00.000Z", "outbound", 9_000);
  await addText(kit, first, "2026-03-01T13:00:00.000Z", "inbound", 4_000);
  await addText(kit, second, "2026-03-01T12:00:00.000Z", "outbound", 9_000);
  await addText(kit, second, "2026-03-03T11:00:00.000Z", "outbound", 9_000);
  await addText(kit, idle, "2026-02-28T23:59:59.999Z", "outbound", 9_000);
  await addText(kit, second, "2026-03-03T12:00:00.000Z", "outbound", 9_000);
  const uuidOf = (id: string) => fromApiId("customer", id) ?? "";
  const sum = async (...ids: string[]) => {
    const sums = await sumByCustomer(kit.deps, kit.account, {
      customerIds: ids.map(uuidOf),
      mode: "live",
      fromMs: Date.parse("2026-03-01T00:00:00Z"),
      beforeMs: Date.parse("2026-03-03T12:00:00Z"),
    });
    return ids.map((id) => sums.get(uuidOf(id)));
  };
  const [ofFirst, ofSecond] = [
    { messages: 2, costMicros: 13_000 },
    { messages: 2, costMicros: 18_000 },
  ];
  assert.deepEqual(await sum(first), [ofFirst]);
  assert.deepEqual(await sum(second, first), [ofSecond, ofFirst], "one of them has stored days");
  const stored = await kit.rows(
    "select day::text, outbound, inbound from usage_days order by inbound desc, day",
  );
  assert.deepEqual(stored, [
    { day: "2026-03-01", outbound: 1, inbound: 1 },
    { day: "2026-03-01", outbound: 1, inbound: 0 },
  ]);
  await kit.rows("update usage_days set outbound = 100 where inbound = 0");
  assert.deepEqual(await sum(first, second), [ofFirst, { messages: 101, costMicros: 18_000 }]);
  assert.deepEqual(await sum(idle, first), [{ messages: 0, costMicros: 0 }, ofFirst]);
  assert.deepEqual(await sum(), []);
});

test("empty days are stored from the account's first day on, however far back the window goes", async (t) => {
  const kit = await freshKit(t);
  const dayMs = 86_400_000;
  await kit.advance(3 * 86_400);
  kit.stopClock();
  const ask = async (after: string) => {
    const { status } = await kit.request("GET", `/v1/usage?by=day&created_after=${after}`);
    assert.equal(status, 200);
  };
  const kept = async () =>
    (await kit.rows("select day::text from usage_days order by day")).map(({ day }) => day);
  await ask("1990-01-01T00:00:00Z");
  assert.deepEqual(await kept(), []);
  const firstMs = Math.floor(kit.account.created_at / dayMs) * dayMs;
  await ask(String(firstMs - 10 * dayMs));
  const expected: string[] = [];
  // A day counts as finished one hour after its end.
  for (let ms = firstMs; ms + dayMs + 3_600_000 <= kit.deps.clock.now(); ms += dayMs) {
    expected.push(new Date(ms).toISOString().slice(0, 10));
  }
  assert.ok(expected.length >= 2);
  assert.deepEqual(await kept(), expected);
});

test("today's sandbox messages are included without a window", async (t) => {
  const kit = await freshKit(t);
  const customer = await addCustomer(kit);
  await buy(kit, "+14155550100", { body: { customer_id: customer } });
  const usage = () => kit.request("GET", `/v1/customers/${customer}/usage`);
  assert.deepEqual((await usage()).body.data, []);
  const body = { from: "+14155550100", to: "+12125551000", body: "Hello" };
  for (let sent = 0; sent < 3; sent += 1) {
    assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
  }
  const answer = await usage();
  assert.equal(answer.body.data.length, 1);
  assert.deepEqual(answer.body.data[0].outbound, { count: 3, cost_usd: 0 });
  const days =
    (Date.parse(answer.body.created_before) - Date.parse(answer.body.created_after)) / 86_400_000;
  assert.equal(days, 30);
});

test("impossible windows and unknown customers are refused", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const customer = await addCustomer(kit);
  const usage = (query: string) => kit.request("GET", `/v1/customers/${customer}/usage?${query}`);
  assertRefused(await usage("created_after=yesterday"), 400, "invalid_request", "created_after");
  assertRefused(await usage("created_before=2026-01-01"), 400, "invalid_request", "created_before");
  assertRefused(
    await usage("created_after=2026-01-02T00:00:00Z&created_before=2026-01-02T00:00:00Z"),
    400,
    "invalid_request",
    "created_before",
  );
  assertRefused(
    await usage("created_after=2026-01-01T00:00:00Z&created_before=2026-04-04T00:00:00Z"),
    400,
    "invalid_request",
    "created_after",
  );
  assertRefused(await usage("days=7"), 400, "invalid_request", "days");
  const longAgo = await usage("created_after=2020-01-01T00:00:00Z");
  assert.equal(longAgo.body.created_before, "2020-04-02T00:00:00.000Z");
  assertRefused(await other.request("GET", `/v1/customers/${customer}/usage`), 404, "not_found");
  assertRefused(await kit.request("GET", "/v1/customers/nonsense/usage"), 404, "not_found");
});
