import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../testing/live.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";

const PHONE = "+14155552671";

const enter = (kit: Kit, phone_number = PHONE, key = kit.testKey) =>
  kit.request("POST", "/v1/verified_numbers", { key, body: { phone_number } });
const confirm = (kit: Kit, code: string, phone_number = PHONE) =>
  kit.request("POST", "/v1/verified_numbers/confirm", { body: { phone_number, code } });
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

test("a phone is added, confirmed by its code, read and deleted", async (t) => {
  const kit = await startKit(t);
  const entered = await enter(kit, "(415) 555-2671");
  assert.equal(entered.status, 201, JSON.stringify(entered.body));
  const { test_code, created_at, ...pending } = entered.body;
  assert.deepEqual(pending, {
    object: "verified_number",
    phone_number: PHONE,
    status: "pending",
    verified_at: null,
  });
  assert.match(test_code, /^\d{6}$/);
  assertRefused(await confirm(kit, wrong(test_code)), 400, "invalid_request", "code");
  const spaced = `${test_code.slice(0, 3)} ${test_code.slice(3)}`;
  const done = await confirm(kit, spaced);
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.equal(done.body.status, "verified");
  assert.ok(done.body.verified_at >= created_at);
  assert.deepEqual((await kit.request("GET", "/v1/verified_numbers")).body.data, [done.body]);
  const path = `/v1/verified_numbers/${encodeURIComponent(PHONE)}`;
  assert.deepEqual((await kit.request("GET", path)).body, done.body);
  assert.equal((await enter(kit)).body.status, "verified", "no second code");
  assert.deepEqual((await kit.request("DELETE", path)).body, done.body);
  assertRefused(await kit.request("GET", path), 404, "not_found");
  assertRefused(await kit.request("DELETE", path), 404, "not_found");
  assertRefused(await confirm(kit, test_code), 404, "not_found");
  const rows = await kit.rows("select action from audit_log order by seq");
  assert.deepEqual(
    rows.map((row) => row.action),
    ["verified_number.created", "verified_number.confirmed", "verified_number.deleted"],
  );
});

test("limits: five tries, ten minutes, five codes, ten phones", async (t) => {
  const kit = await startKit(t);
  const { test_code } = (await enter(kit)).body;
  for (let tries = 0; tries < 5; tries += 1) {
    assertRefused(await confirm(kit, wrong(test_code)), 400, "invalid_request", "code");
  }
  assertRefused(await confirm(kit, test_code), 400, "invalid_request", "code");
  assert.equal((await enter(kit)).body.test_code, test_code, "the same code again");
  assertRefused(await confirm(kit, test_code), 400, "invalid_request", "code");
  for (let sends = 2; sends < 5; sends += 1) assert.equal((await enter(kit)).status, 201);
  const sixth = await enter(kit);
  assertRefused(sixth, 429, "rate_limited", "phone_number");
  assert.ok(Number(sixth.headers.get("retry-after")) <= 600);
  await kit.advance(601);
  assertRefused(await confirm(kit, test_code), 400, "invalid_request", "code");
  const again = (await enter(kit)).body.test_code;
  assert.notEqual(again, test_code, "a new code, with tries of its own");
  assert.equal((await confirm(kit, again)).status, 200);

  for (let index = 0; index < 9; index += 1) {
    assert.equal((await enter(kit, `+1415555300${index}`)).status, 201);
  }
  assertRefused(await enter(kit, "+14155553010"), 409, "limit_reached", "phone_number");
  const account = toApiId("account", kit.account.id);
  const path = `/accounts/${account}/verified_numbers`;
  const operator = await kit.operator("POST", path, { phone_number: "+14155553011" });
  assertRefused(operator, 409, "limit_reached", "phone_number");
  await kit.advance(601);
  assert.equal((await kit.operator("POST", path, { phone_number: "+14155553011" })).status, 201);
  const other = await secondAccount(kit);
  assert.equal(
    (await enter(other, PHONE, other.testKey)).status,
    201,
    "phones are each account's own",
  );
});

test("only full access adds phones, and only phones that can receive messages", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const account = toApiId("account", kit.account.id);
  const scopes = ["verify", "numbers:write"];
  const { key } = (
    await kit.operator("POST", `/accounts/${account}/keys`, { mode: "test", scopes })
  ).body;
  assertRefused(await enter(kit, PHONE, key), 403, "insufficient_scope");
  assertRefused(await enter(kit, "+18765551234"), 400, "invalid_request", "phone_number");
  assertRefused(await enter(kit, "+15005550004"), 502, "carrier_error");
  // Jamaica, the United Kingdom, a premium-rate number, and no number.
  for (const phone_number of ["+18765551234", "+447911123456", "+19005551234", "12"]) {
    const path = `/accounts/${account}/verified_numbers`;
    const byOperator = await kit.operator("POST", path, { phone_number });
    assertRefused(byOperator, 400, "invalid_request", "phone_number");
  }
  assert.equal((await kit.request("GET", "/v1/verified_numbers")).body.data.length, 0);
});

test("with a carrier the code is sent even with a test key, and so are sandbox messages to the phone afterwards", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, { LONGWAVE_VERIFY_NUMBERS: "+12065550150" }, { carriers: carrier });
  carrier.answers = [() => ({ kind: "refused", isTemporary: true, carrierCode: "busy" }), accepted];
  const entered = await enter(kit);
  assert.equal(entered.body.test_code, undefined);
  await until(async () => carrier.submitted.length === 1);
  await kit.advance(10);
  assert.equal(carrier.submitted.length, 2, "tried again after a refusal for now");
  const code = /\d{6}/.exec(carrier.submitted.at(-1)?.body ?? "")?.[0] ?? "";
  assert.equal(carrier.submitted.at(-1)?.from, "+12065550150");
  assert.equal(
    (await kit.request("GET", "/v1/messages")).body.data.length,
    0,
    "no message of theirs",
  );
  await giveNumber(kit, { phone: "+15005550100" });
  const send = () =>
    kit.request("POST", "/v1/messages", { body: { to: PHONE, from: "+15005550100", body: "Hi" } });
  assert.equal((await send()).body.simulated, true, "not before it is confirmed");
  assert.equal((await confirm(kit, code)).body.status, "verified");
  await until(async () => (await send()).body.simulated === false);
  const events = await kit.rows("select type from events where type like 'verification.%'");
  assert.deepEqual(events, [], "and no verification of theirs");
});

test("live access is requested, listed, granted, and cannot be requested again", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const body = {
    company: "Acme Dental",
    website: "https://acme-dental.example.com",
    use_case: "Reminders",
    monthly_volume: 5_000,
  };
  const ask = (more: object = {}) =>
    kit.request("POST", "/v1/live-access", { body: { ...body, ...more } });
  for (const [param, value] of [
    ["company", ""],
    ["website", "ftp://example.com"],
    ["website", "nonsense"],
    ["monthly_volume", 1.5],
    ["use_case", null],
  ] as const) {
    assertRefused(await ask({ [param]: value }), 400, "invalid_request", param);
  }
  const asked = await ask();
  assert.equal(asked.status, 200);
  assert.equal(asked.body.object, "account");
  assert.equal(asked.body.live_access, "requested");
  assert.equal((await ask({ monthly_volume: 9_000 })).status, 200, "replaced");
  const listed = await kit.operator("GET", "/accounts?live_access=requested");
  const { requested_at, ...request } = listed.body.data[0].live_access_request;
  assert.deepEqual(request, { ...body, monthly_volume: 9_000 });
  assert.ok(requested_at);
  const path = `/accounts/${toApiId("account", kit.account.id)}`;
  await kit.operator("PATCH", path, { live_access: "rejected" });
  assert.equal((await ask()).body.live_access, "requested", "asked again after a rejection");
  await goLive(kit, 0);
  assertRefused(await ask(), 409, "invalid_state");
  const rows = await kit.rows("select action from audit_log where action like 'live_access%'");
  assert.equal(rows.length, 3);
});
