import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import {
  addCredit,
  assertRefused,
  balanceUsd,
  buy,
  goLive,
  secondAccount,
  stock,
} from "../../../testing/live.ts";
import { addMonths } from "../../core/platform/clock.ts";
import { grantFirstNumber } from "./index.ts";
import { endOfNextMonth } from "./month-price.ts";

const openAccount = freshAccounts();

const PHONE = "+14155550100";

test("a test key buys a fictional number free of charge, with its event and audit row", async (t) => {
  const kit = await openAccount(t);
  const number = await buy(kit, "(415) 555-0100");
  const { sender, purchased_at, ...rest } = number;
  assert.deepEqual(rest, {
    object: "number",
    phone_number: PHONE,
    type: "local",
    country: "US",
    region: "CA",
    locality: "San Francisco",
    area_code: "415",
    label: null,
    tags: [],
    pools: [],
    mode: "test",
    customer_id: null,
    capabilities: ["sms"],
    sms_url: null,
    sms_method: "POST",
    monthly_price: 0,
    released_at: null,
    status: "active",
  });
  assert.match(purchased_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(sender, {
    state: "test_only",
    registration_id: null,
    reason: null,
    updated_at: purchased_at,
  });
  const events = await kit.rows("select type, data, customer_id from events");
  assert.deepEqual(events, [
    {
      type: "number.purchased",
      data: { phone_number: PHONE, mode: "test" },
      customer_id: null,
    },
  ]);
  const audit = await kit.rows(
    "select action, actor_type, target_type, target_id, changes from audit_log",
  );
  assert.deepEqual(audit, [
    {
      action: "number.purchased",
      actor_type: "api_key",
      target_type: "number",
      target_id: PHONE,
      changes: { mode: { from: null, to: "test" }, customer_id: { from: null, to: null } },
    },
  ]);
  assert.deepEqual(await kit.rows("select 1 from ledger_entries"), []);
});

test("sandbox numbers are per account, and no account holds one twice", async (t) => {
  const kit = await startKit(t);
  const other = await secondAccount(kit);
  await buy(kit, PHONE);
  await buy(other, PHONE);
  const again = await kit.request("POST", "/v1/numbers", { body: { phone_number: PHONE } });
  assertRefused(again, 409, "number_unavailable", "phone_number");
  assert.equal((await kit.rows("select 1 from events")).length, 2, "a refusal tells nothing");
  assert.equal((await kit.rows("select 1 from audit_log")).length, 2);
});

test("refusals of purchases with a test key", async (t) => {
  const kit = await openAccount(t);
  await stock(kit, "+12065551234");
  const attempt = (phone_number: unknown) =>
    kit.request("POST", "/v1/numbers", { body: { phone_number } });
  for (const phone of ["+12065551234", "+14155550200", "+14155550099", "+18005550100"]) {
    assertRefused(await attempt(phone), 409, "number_unavailable", "phone_number");
  }
  // The first-run number is reserved for the first account; magic recipients cannot be bought.
  for (const phone of ["+15005550100", "+15005550001"]) {
    assertRefused(await attempt(phone), 409, "number_unavailable", "phone_number");
  }
  for (const phone of [
    "nonsense",
    "+18765550100",
    "+19995550100",
    "+17875550100",
    "+442071838750",
  ]) {
    assertRefused(await attempt(phone), 400, "invalid_request", "phone_number");
  }
  assertRefused(await attempt(4155550100), 400, "invalid_request", "phone_number");
  assertRefused(
    await kit.request("POST", "/v1/numbers", { body: {} }),
    400,
    "invalid_request",
    "phone_number",
  );
  assertRefused(
    await kit.request("POST", "/v1/numbers", { body: { phone_number: PHONE, area: "415" } }),
    400,
    "invalid_request",
    "area",
  );
  assert.deepEqual(await kit.rows("select 1 from numbers"), []);
});

test("a live key buys from the stock and pays at once, and the number leaves the stock", async (t) => {
  const kit = await startKit(t);
  await goLive(kit, 2);
  await stock(kit, "+12065551234", "+16045551234", "+18005551234");
  const live = { key: kit.liveKey };
  const us = await buy(kit, "2065551234", live);
  assert.equal(us.mode, "live");
  assert.equal(us.monthly_price, 0.95);
  assert.equal(us.sender.state, "test_only");
  assert.match(us.sender.reason, /registration/);
  assert.equal(await balanceUsd(kit), 1.05);
  const canada = await buy(kit, "+16045551234", live);
  assert.equal(canada.country, "CA");
  assert.equal(canada.sender.state, "active");
  const [entry] = await kit.rows(
    "select kind, amount_micros, note from ledger_entries where kind = 'number_month' order by created_at limit 1",
  );
  assert.deepEqual(entry, {
    kind: "number_month",
    amount_micros: -950_000,
    note: "+12065551234",
  });

  const broke = await kit.request("POST", "/v1/numbers", {
    ...live,
    body: { phone_number: "+18005551234" },
  });
  assertRefused(broke, 402, "insufficient_credits");
  assert.equal(await balanceUsd(kit), 0.1);
  assert.equal((await kit.rows("select 1 from numbers")).length, 2);
  const available = await kit.request("GET", "/v1/numbers/available", live);
  assert.deepEqual(
    available.body.data.map((one: { phone_number: string }) => one.phone_number),
    ["+18005551234"],
  );
  await addCredit(kit, 1);
  const tollFree = await buy(kit, "+18005551234", live);
  assert.equal(tollFree.type, "toll_free");
  assert.equal(tollFree.region, null);
  assert.equal(tollFree.sender.state, "active");
});

test("refusals of purchases with a live key", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  const other = await secondAccount(kit);
  await goLive(other);
  await stock(kit, "+12065551234");
  const attempt = (phone_number: string, key = kit.liveKey) =>
    kit.request("POST", "/v1/numbers", { key, body: { phone_number } });
  assertRefused(await attempt(PHONE), 409, "number_unavailable", "phone_number");
  assertRefused(await attempt("+12065559999"), 409, "number_unavailable", "phone_number");
  assert.equal((await attempt("+12065551234", other.liveKey)).status, 201);
  assertRefused(await attempt("+12065551234"), 409, "number_unavailable", "phone_number");
  assertRefused(
    await attempt("+12065551234", other.liveKey),
    409,
    "number_unavailable",
    "phone_number",
  );
  assert.equal(await balanceUsd(kit), 100);
});

test("a number held in one mode cannot be bought in the other", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  await stock(kit, PHONE);
  await buy(kit, PHONE);
  const live = await kit.request("POST", "/v1/numbers", {
    key: kit.liveKey,
    body: { phone_number: PHONE },
  });
  assertRefused(live, 409, "number_unavailable", "phone_number");
  assert.equal(await balanceUsd(kit), 100);
  assert.equal((await kit.operator("GET", "/inventory?status=available")).body.data.length, 1);
});

test("one of 20 concurrent purchases by 4 accounts on 2 servers succeeds and is paid", async (t) => {
  const kit = await startKit(t);
  const second = await startKitOn(t, kit.connection);
  const others = [
    kit,
    await secondAccount(kit),
    await secondAccount(kit),
    await secondAccount(kit),
  ];
  for (const one of others) await goLive(one);
  await stock(kit, "+12065551234");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const { liveKey } = others[index % others.length] ?? kit;
      const server = index % 2 === 0 ? kit : second;
      return server.request("POST", "/v1/numbers", {
        key: liveKey,
        body: { phone_number: "+12065551234" },
      });
    }),
  );
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
  assert.equal((await kit.rows("select 1 from numbers")).length, 1);
  assert.equal(
    (await kit.rows("select 1 from ledger_entries where kind = 'number_month'")).length,
    1,
  );
  assert.equal((await kit.rows("select 1 from events where type = 'number.purchased'")).length, 1);
});

test("20 concurrent purchases with credit for 5 buy 5", async (t) => {
  const kit = await openAccount(t);
  await goLive(kit, 5 * 0.95);
  const phones = Array.from({ length: 20 }, (_, index) => `+1206555${2000 + index}`);
  await stock(kit, ...phones);
  const answers = await Promise.all(
    phones.map((phone_number) =>
      kit.request("POST", "/v1/numbers", { key: kit.liveKey, body: { phone_number } }),
    ),
  );
  const count = (status: number) => answers.filter((one) => one.status === status).length;
  assert.equal(count(201), 5);
  assert.equal(count(402), 15);
  assert.equal(await balanceUsd(kit), 0);
  assert.equal((await kit.operator("GET", "/inventory?status=sold")).body.data.length, 5);
});

test("Idempotency-Key: a retry replays the 201, another body is a conflict, a refusal frees the key", async (t) => {
  const kit = await openAccount(t);
  const headers = { "idempotency-key": "buy-1" };
  const first = await kit.request("POST", "/v1/numbers", {
    headers,
    body: { phone_number: PHONE },
  });
  const again = await kit.request("POST", "/v1/numbers", {
    headers,
    body: { phone_number: PHONE },
  });
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.body, first.body);
  assert.equal((await kit.rows("select 1 from events")).length, 1);
  const conflict = await kit.request("POST", "/v1/numbers", {
    headers,
    body: { phone_number: "+14155550101" },
  });
  assertRefused(conflict, 409, "idempotency_conflict");
  const reused = { "idempotency-key": "buy-2" };
  const refused = { headers: reused, body: { phone_number: PHONE } };
  assertRefused(
    await kit.request("POST", "/v1/numbers", refused),
    409,
    "number_unavailable",
    "phone_number",
  );
  await buy(kit, "+14155550102", { headers: reused });
});

test("customer_id assigns at once; with an unknown or foreign one nothing is bought", async (t) => {
  const kit = await openAccount(t);
  const other = await secondAccount(kit);
  const customer = (await kit.request("POST", "/v1/customers", { body: { name: "Acme" } })).body;
  const foreign = (await other.request("POST", "/v1/customers", { body: { name: "Other" } })).body;
  const number = await buy(kit, PHONE, { body: { customer_id: customer.id } });
  assert.equal(number.customer_id, customer.id);
  const [event] = await kit.rows("select data from events");
  assert.deepEqual(event.data, {
    phone_number: PHONE,
    mode: "test",
    customer_id: customer.id,
  });
  for (const customer_id of [foreign.id, "cus_01jd0000000000000000000000", "nonsense", "pool_1"]) {
    const body = { phone_number: "+14155550101", customer_id };
    const refused = await kit.request("POST", "/v1/numbers", { body });
    assertRefused(refused, 400, "unknown_customer", "customer_id");
  }
  // null means the same as leaving it out.
  await buy(kit, "+14155550101", { body: { customer_id: null } });
});

test("registration_id must be known, and is refused for sandbox, Canadian and toll-free numbers", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  await stock(kit, "+12065551234", "+16045551234", "+18005551234");
  const registration_id = "reg_01jd0000000000000000000000";
  const attempt = (phone_number: string, key: string) =>
    kit.request("POST", "/v1/numbers", { key, body: { phone_number, registration_id } });
  for (const [phone, key] of [
    [PHONE, kit.testKey],
    ["+16045551234", kit.liveKey],
    ["+18005551234", kit.liveKey],
  ] as const) {
    assertRefused(await attempt(phone, key), 400, "number_not_registerable", "registration_id");
  }
  const unknown = await attempt("+12065551234", kit.liveKey);
  assertRefused(unknown, 400, "unknown_registration", "registration_id");
  assert.equal(await balanceUsd(kit), 100);
  assert.deepEqual(await kit.rows("select 1 from numbers"), []);
});

test("the first-run number is granted once and reserved for its account", async (t) => {
  const kit = await openAccount(t);
  const other = await secondAccount(kit);
  const { deps, account } = kit;
  const phone = await deps.db.tx((tx) => grantFirstNumber(deps, tx, account));
  assert.equal(phone, "+15005550100");
  const number = await kit.request("GET", `/v1/numbers/${phone}`);
  assert.equal(number.body.mode, "test");
  assert.equal(number.body.country, "US");
  assert.equal(number.body.area_code, "500");
  assert.equal(number.body.sender.state, "test_only");
  const [audit] = await kit.rows("select action, actor_type from audit_log");
  assert.deepEqual(audit, { action: "number.purchased", actor_type: "system" });
  const refused = await other.request("POST", "/v1/numbers", { body: { phone_number: phone } });
  assertRefused(refused, 409, "number_unavailable", "phone_number");
  // The first account may buy it again after a release.
  await kit.request("DELETE", `/v1/numbers/${phone}`);
  await buy(kit, phone);
});

test("numbers:read does not buy, and numbers:write does not list", async (t) => {
  const kit = await openAccount(t);
  const { deps, account } = kit;
  const { createKey } = await import("../../account/keys/index.ts");
  const keyWith = (scope: "numbers:read" | "numbers:write") =>
    deps.db.tx(async (tx) => {
      const made = await createKey(deps, tx, account, {
        mode: "test",
        name: null,
        scopes: [scope],
      });
      return made.key;
    });
  const read = await keyWith("numbers:read");
  const write = await keyWith("numbers:write");
  const refused = await kit.request("POST", "/v1/numbers", {
    key: read,
    body: { phone_number: PHONE },
  });
  assertRefused(refused, 403, "insufficient_scope");
  assert.equal(refused.body.error.required_scope, "numbers:write");
  assert.equal((await kit.request("GET", "/v1/numbers", { key: write })).status, 403);
  assert.equal((await kit.request("GET", "/v1/pools", { key: write })).status, 403);
  assert.equal((await kit.request("GET", "/v1/customers", { key: read })).status, 403);
  assert.equal((await kit.request("GET", "/v1/numbers/available", { key: read })).status, 200);
  await buy(kit, PHONE, { key: write });
  assert.equal((await kit.request("GET", `/v1/numbers/${PHONE}`, { key: read })).status, 200);
});

test("months count from the purchase, and the 31st comes back", () => {
  const at = (text: string) => Date.parse(`${text}T10:00:00.000Z`);
  assert.equal(addMonths(at("2026-01-31"), 1), at("2026-02-28"));
  assert.equal(addMonths(at("2028-01-31"), 1), at("2028-02-29"));
  assert.equal(addMonths(at("2026-12-15"), 1), at("2027-01-15"));
  assert.equal(endOfNextMonth(at("2026-01-31"), at("2026-02-28")), at("2026-03-31"));
  assert.equal(endOfNextMonth(at("2026-01-31"), at("2026-03-31")), at("2026-04-30"));
  assert.equal(endOfNextMonth(at("2026-11-15"), at("2026-12-15")), at("2027-01-15"));
});
