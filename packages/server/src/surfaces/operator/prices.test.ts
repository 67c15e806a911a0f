/** The operator's price table: what accounts pay from when on, and what a price does not touch. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { giveRegistration, submit } from "../../../testing/give-registration.ts";
import type { Kit } from "../../../testing/kit.ts";
import { balanceUsd, buy, goLive, stock, usNumbers } from "../../../testing/live.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { handleInboundMessage } from "../../messaging/inbound/receive.ts";

const carrier = createTestCarrier();
const freshKit = freshAccounts({}, { carriers: carrier });
const phones = usNumbers(20, "+1206558");
const TOLL_FREE = "+18335550123";
const TO_US = "+14155552671";
const TO_CANADA = "+16135552671";
/** All accounts of this file share the price table: each test ends its own prices. */
const made: string[] = [];

async function set(kit: Kit, body: object) {
  const answer = await kit.operator("POST", "/prices", body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  made.push(answer.body.id);
  return answer.body;
}

async function endAll(kit: Kit): Promise<void> {
  for (const id of made.splice(0)) await kit.operator("DELETE", `/prices/${id}`);
}

async function liveKit(t: TestContext): Promise<Kit & { readonly from: string }> {
  const kit = await freshKit(t);
  await goLive(kit, 10);
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date where account_id = $2",
    [new Date(kit.deps.clock.now()), kit.account.id],
  );
  const from = phones.shift() ?? "";
  await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
  t.after(() => endAll(kit));
  return { ...kit, from };
}

type LiveKit = Awaited<ReturnType<typeof liveKit>>;

const preview = async (kit: LiveKit, to: string, from = kit.from) => {
  const body = { to, from, body: "Hello", dry_run: true };
  const answer = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.price;
};
const send = async (kit: LiveKit, to: string) => {
  const body = { to, from: kit.from, body: "Hello" };
  const answer = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
};

test("a price takes effect at its time and leaves earlier messages as they are", async (t) => {
  const kit = await liveKit(t);
  const before = await send(kit, TO_US);
  assert.equal(before.price, 0.009);
  const later = new Date(kit.deps.clock.now() + 3_600_000).toISOString();
  const price = await set(kit, { item: "outbound", amount_usd: 0.02, effective_from: later });
  assert.deepEqual([price.price_usd, price.in_force], [0.02, false]);
  assert.equal(await preview(kit, TO_US), 0.009);
  await kit.advance(3_600);
  assert.equal((await send(kit, TO_US)).price, 0.02);
  const read = await kit.request("GET", `/v1/messages/${before.id}`, { key: kit.liveKey });
  assert.equal(read.body.price, 0.009);
  assert.equal(await balanceUsd(kit), 10 - 0.009 - 0.02);
  const { body } = await kit.operator("GET", "/prices?item=outbound");
  assert.equal(body.data.find(({ id }: { id: string }) => id === price.id).in_force, true);
});

test("a country's price comes before a number type's, and that before a general one", async (t) => {
  const kit = await liveKit(t);
  await giveNumber(kit, {
    phone: TOLL_FREE,
    mode: "live",
    type: "toll_free",
    senderState: "active",
  });
  await set(kit, { item: "outbound", amount_usd: 0.01 });
  await set(kit, { item: "outbound", number_type: "toll_free", amount_usd: 0.02 });
  const canada = await set(kit, { item: "outbound", country: "CA", amount_usd: 0.03 });
  const both = { country: "CA", number_type: "toll_free" };
  await set(kit, { item: "outbound", ...both, amount_usd: 0.04 });
  assert.equal(await preview(kit, TO_US), 0.01);
  assert.equal(await preview(kit, TO_US, TOLL_FREE), 0.02);
  assert.equal(await preview(kit, TO_CANADA), 0.03);
  assert.equal(await preview(kit, TO_CANADA, TOLL_FREE), 0.04);
  const ended = await kit.operator("DELETE", `/prices/${canada.id}`);
  assert.match(ended.body.ended_at, /^20/);
  assert.equal(await preview(kit, TO_CANADA), 0.01);
  assertProblem(await kit.operator("DELETE", `/prices/${canada.id}`), 404, "not_found");
});

test("a carrier's cost plus a margin is what accounts pay, rounded to millionths", async (t) => {
  const kit = await liveKit(t);
  const price = await set(kit, {
    ...{ item: "outbound", basis: "carrier_cost" },
    ...{ amount_usd: 0.004005, margin_percent: 50, margin_usd: 0.001 },
  });
  assert.equal(price.price_usd, 0.007008);
  assert.equal(await preview(kit, TO_US), 0.007008);
});

test("a number's month has the price of its type", async (t) => {
  const kit = await liveKit(t);
  await set(kit, { item: "number_month", number_type: "toll_free", amount_usd: 2 });
  const phone = "+18445550123";
  await stock(kit, phone);
  const bought = await buy(kit, phone, { key: kit.liveKey });
  assert.equal(bought.monthly_price, 2);
  assert.equal(await balanceUsd(kit), 8);
});

test("an incoming text costs the price of its writer's country", async (t) => {
  const kit = await liveKit(t);
  await set(kit, { item: "inbound", country: "CA", amount_usd: 0.5 });
  const bring = (from: string) => {
    const payload = { carrier: "acme", reference: null, from, to: kit.from, body: "Hello" };
    return kit.deps.db.tx((tx) => handleInboundMessage(kit.deps, tx, { carrier: "acme", payload }));
  };
  assert.equal((await bring(TO_CANADA))?.price_micros, 500_000);
  assert.equal((await bring(TO_US))?.price_micros, 4_000);
  assert.equal(await balanceUsd(kit), 10 - 0.5 - 0.004);
});

test("a verification costs its price once its check succeeds", async (t) => {
  const kit = await liveKit(t);
  await set(kit, { item: "verification", amount_usd: 0.25 });
  await kit.rows(
    "update account_counters set verifications_used = 10, allowance_month = date_trunc('month', $1::timestamptz)::date where account_id = $2",
    [new Date(kit.deps.clock.now()), kit.account.id],
  );
  const post = (path: string, body: object) =>
    kit.request("POST", path, { key: kit.liveKey, body });
  const started = await post("/v1/verify", { phone: TO_US, from: kit.from });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  const before = await balanceUsd(kit);
  const text = carrier.submitted.findLast(({ to }) => to === TO_US)?.body ?? "";
  const checked = await post("/v1/verify/check", { phone: TO_US, code: /\d{6}/.exec(text)?.[0] });
  assert.equal(checked.body.verified ?? checked.body.valid, true, JSON.stringify(checked.body));
  assert.equal(await balanceUsd(kit), before - 0.25);
});

test("a registration costs the price of its kind, which the account reads beforehand", async (t) => {
  const kit = await liveKit(t);
  await set(kit, { item: "registration", number_type: "toll_free", amount_usd: 1.5 });
  const { billing } = (await kit.request("GET", "/v1/account")).body;
  assert.deepEqual(billing, { enabled: true, registration_usd: { campaign: 4, toll_free: 1.5 } });
  await submit(kit, await giveRegistration(kit, { kind: "toll_free" }));
  assert.equal(await balanceUsd(kit), 8.5);
  await submit(kit, await giveRegistration(kit));
  assert.equal(await balanceUsd(kit), 4.5);
});

test("prices that nobody could mean are refused, and say what to send", async (t) => {
  const kit = await freshKit(t);
  const refuses = async (param: string, body: object) =>
    assertProblem(await kit.operator("POST", "/prices", body), 400, "invalid_request", param);
  const past = new Date(kit.deps.clock.now() - 1_000).toISOString();
  await refuses("amount_usd", { item: "outbound", amount_usd: 0.0000001 });
  await refuses("amount_usd", { item: "outbound", amount_usd: -1 });
  await refuses("amount_usd", { item: "outbound" });
  await refuses("item", { item: "fax", amount_usd: 1 });
  await refuses("country", { item: "outbound", country: "us", amount_usd: 1 });
  await refuses("margin_usd", { item: "outbound", amount_usd: 1, margin_usd: 1 });
  await refuses("margin_percent", { item: "outbound", amount_usd: 1, margin_percent: 1 });
  await refuses("number_type", { item: "verification", number_type: "local", amount_usd: 1 });
  await refuses("effective_from", { item: "outbound", amount_usd: 1, effective_from: past });
  await refuses("effective_from", { item: "outbound", amount_usd: 1, effective_from: "soon" });
  assertProblem(await kit.operator("DELETE", "/prices/prc_x"), 404, "not_found");
});
