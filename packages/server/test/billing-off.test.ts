/** An installation that sends its own traffic alone: LONGWAVE_BILLING=off. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toApiId } from "../src/core/platform/ids.ts";
import { freshAccounts } from "../testing/fresh-account.ts";
import { giveNumber } from "../testing/give-number.ts";
import { giveRegistration } from "../testing/give-registration.ts";
import { assertRefused, buy, goLive, stock, usNumbers } from "../testing/live.ts";
import { createTestCarrier } from "../testing/test-carrier.ts";

const freshKit = freshAccounts({ LONGWAVE_BILLING: "off" }, { carriers: createTestCarrier() });
const phones = usNumbers(9, "+1206559");
const TO = "+14155552671";

test("with billing off nothing costs, nothing is refused for money, and usage is counted", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit, 0);
  await kit.rows(
    "update account_counters set balance_micros = -1000, texts_used = 100, verifications_used = 10, allowance_month = date_trunc('month', $1::timestamptz)::date where account_id = $2",
    [new Date(kit.deps.clock.now()), kit.account.id],
  );
  const from = phones.shift() ?? "";
  await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
  const key = kit.liveKey;
  const body = { from, to: TO, body: "Hello" };
  const preview = await kit.request("POST", "/v1/messages", {
    key,
    body: { ...body, dry_run: true },
  });
  assert.deepEqual([preview.body.price, preview.body.blocked_by], [0, []]);
  const sent = await kit.request("POST", "/v1/messages", { key, body });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  assert.equal(sent.body.price, 0);
  const verify = await kit.request("POST", "/v1/verify", { key, body: { phone: TO, from } });
  assert.equal(verify.status, 201, JSON.stringify(verify.body));
  await stock(kit, "+12065550123");
  assert.equal((await buy(kit, "+12065550123", { key })).monthly_price, 0);
  const usage = await kit.request("GET", "/v1/usage?by=day", { key });
  assert.equal(usage.body.data[0].outbound.count, 2);
  assert.deepEqual(await kit.rows("select kind from ledger_entries"), []);
  const { billing } = (await kit.request("GET", "/v1/account", { key })).body;
  const registration_usd = { campaign: 0, toll_free: 0 };
  assert.deepEqual(billing, { enabled: false, registration_usd });
});

test("with billing off an account has no daily quota, unless the operator sets one", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit, 0);
  const from = phones.shift() ?? "";
  await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
  const path = `/accounts/${toApiId("account", kit.account.id)}`;
  assert.equal((await kit.operator("GET", path)).body.daily_message_quota, null);
  const send = () =>
    kit.request("POST", "/v1/messages", { key: kit.liveKey, body: { from, to: TO, body: "Hi" } });
  assert.equal((await send()).status, 201);
  const own = await kit.operator("PATCH", path, { daily_message_quota: 1 });
  assert.equal(own.body.daily_message_quota, 1);
  assert.equal((await send()).status, 201);
  assertRefused(await send(), 429, "quota_exceeded");
  const none = await kit.operator("PATCH", path, { daily_message_quota: null });
  assert.equal(none.body.daily_message_quota, null);
  assert.equal((await send()).status, 201);
});

test("with billing off a registration is submitted without credit", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit, 0);
  const id = await giveRegistration(kit);
  const { status, body } = await kit.request("POST", `/v1/registrations/${id}/submit`, {
    key: kit.liveKey,
  });
  assert.equal(status, 200, JSON.stringify(body));
});
