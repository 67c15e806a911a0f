import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { approve, giveRegistration, review } from "../../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import {
  addCredit,
  assertRefused,
  balanceUsd,
  buy,
  goLive,
  stock,
  usNumbers,
} from "../../../../testing/live.ts";
import { accepted, createTestCarrier, type TestCarrier } from "../../../../testing/test-carrier.ts";
import { until } from "../../../../testing/until.ts";
import { toApiId } from "../../../core/platform/ids.ts";

const POOL = "+12065550150";
const OWN = "+14155550100";
const PHONE = "+14155552671";

async function liveKit(t: TestContext, creditUsd = 1): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  const env = { LONGWAVE_VERIFY_NUMBERS: POOL, LONGWAVE_VERIFY_DOMAIN: "app.example.com" };
  const kit = await startKit(t, env, { carriers: carrier });
  await goLive(kit, creditUsd);
  return { kit, carrier };
}

async function start(kit: Kit, more: Record<string, unknown> = {}) {
  const body = { phone: PHONE, app_name: "Acme", ...more };
  return kit.request("POST", "/v1/verify", { key: kit.liveKey, body });
}

async function check(kit: Kit, code: string, phone = PHONE) {
  return kit.request("POST", "/v1/verify/check", { key: kit.liveKey, body: { phone, code } });
}

async function typesOf(kit: Kit): Promise<string[]> {
  const rows = await kit.rows("select type from events order by seq");
  return rows.map((row) => row.type);
}

async function useUpAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    "update account_counters set verifications_used = 10, allowance_month = date_trunc('month', $1::timestamptz)::date",
    [new Date(kit.deps.clock.now())],
  );
}

const codeIn = (text: string | undefined) => /\d{6}/.exec(text ?? "")?.[0] ?? "";

test("a live code comes from the service's number and is billed once, when it is approved", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const started = await start(kit);
  assert.equal(started.status, 201, JSON.stringify(started.body));
  assert.equal("test_code" in started.body, false);
  assert.equal(started.body.simulated, false);
  const [text] = carrier.submitted;
  const code = codeIn(text?.body);
  assert.equal(text?.from, POOL);
  assert.equal(text?.body, `Your Acme code is ${code}.\n\n@app.example.com #${code}`);
  const free = await check(kit, code);
  assert.deepEqual(free.body, { verified: true, status: "approved", attempts: 1, charged: false });
  await useUpAllowance(kit);
  assert.equal((await start(kit)).status, 201);
  const billed = await check(kit, codeIn(carrier.submitted[1]?.body));
  assert.equal(billed.body.charged, true);
  assert.equal(await balanceUsd(kit), 0.975);
  assertRefused(await check(kit, codeIn(carrier.submitted[1]?.body)), 404, "not_found");
  assert.equal(
    (await kit.rows("select 1 from ledger_entries where kind = 'verification'")).length,
    1,
  );
  assert.deepEqual(await typesOf(kit), [
    "verification.sent",
    "verification.approved",
    "verification.sent",
    "verification.approved",
  ]);
});

test("without credit and allowance a start is refused; a check never is", async (t) => {
  const { kit, carrier } = await liveKit(t, 0);
  assert.equal((await start(kit)).status, 201);
  await useUpAllowance(kit);
  assertRefused(await start(kit, { phone: "+14155552672" }), 402, "insufficient_credits");
  assert.equal((await check(kit, codeIn(carrier.submitted[0]?.body))).body.charged, true);
  assert.equal(await balanceUsd(kit), -0.025);
});

test("a permanent refusal leaves nothing pending; the dispatcher retries a temporary one", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [() => ({ kind: "refused", isTemporary: false, carrierCode: "x" }), accepted];
  assertRefused(await start(kit), 502, "carrier_error");
  assertRefused(await check(kit, "123456"), 404, "not_found");
  assert.deepEqual(await typesOf(kit), []);
  carrier.answers = [() => ({ kind: "refused", isTemporary: true, carrierCode: "busy" }), accepted];
  assert.equal((await start(kit)).status, 201);
  assert.deepEqual(await typesOf(kit), []);
  await kit.advance(6);
  assert.equal(carrier.submitted.length, 3);
  assert.deepEqual(await typesOf(kit), ["verification.sent"]);
});

test("a code with an unknown outcome is submitted once more, and not again", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [() => ({ kind: "unknown" })];
  assert.equal((await start(kit)).status, 201);
  await kit.advance(21);
  assert.equal(carrier.submitted.length, 2);
  assert.equal(carrier.submitted[0]?.body, carrier.submitted[1]?.body);
  await kit.advance(120);
  assert.equal(carrier.submitted.length, 2);
  assert.deepEqual(await typesOf(kit), ["verification.sent"]);
});

test("receipts match code messages, which the account does not see", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [
    () => ({ kind: "accepted", references: ["code-1"] }),
    () => ({ kind: "unknown" }),
  ];
  assert.equal((await start(kit)).status, 201);
  assert.equal((await start(kit, { phone: "+14155552672" })).status, 201);
  const receipt = { carrier: "test-link", state: "delivered", carrierCode: null } as const;
  await carrier.sink().receipt({ ...receipt, reference: "code-1", raw: "one" });
  const { ourReference = "" } = carrier.submitted[1] ?? {};
  await carrier.sink().receipt({ ...receipt, reference: "code-2", ourReference, raw: "two" });
  await kit.advance(60);
  assert.equal(carrier.submitted.length, 2, "the receipt proves that the second code arrived");
  const unmatched = await kit.rows("select 1 from carrier_inbox where message_id is null");
  assert.equal(unmatched.length, 0);
  assert.deepEqual(await typesOf(kit), ["verification.sent", "verification.sent"]);
  const list = await kit.request("GET", "/v1/messages", { key: kit.liveKey });
  assert.deepEqual(list.body.data, []);
  const [hidden] = await kit.rows("select id, body, status from messages limit 1");
  assert.equal(hidden.status, "delivered");
  assert.doesNotMatch(hidden.body, /\d{6}/);
  const id = toApiId("message", hidden.id);
  assertRefused(
    await kit.request("GET", `/v1/messages/${id}`, { key: kit.liveKey }),
    404,
    "not_found",
  );
});

test("from an own number a code with an unknown outcome is not submitted again", async (t) => {
  const { kit, carrier } = await liveKit(t);
  await giveNumber(kit, { phone: OWN, mode: "live", senderState: "active" });
  carrier.answers = [() => ({ kind: "unknown" })];
  assert.equal((await start(kit, { from: OWN })).status, 201);
  await kit.advance(1_200);
  assert.equal(carrier.submitted.length, 1);
});

test("a code from an own number is a visible message with masked digits", async (t) => {
  const { kit, carrier } = await liveKit(t);
  await giveNumber(kit, { phone: OWN, mode: "live", senderState: "active" });
  const busy = () => ({ kind: "refused", isTemporary: true, carrierCode: "busy" }) as const;
  carrier.answers = [busy, accepted];
  const started = await start(kit, { from: OWN });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  assert.equal(started.body.from, OWN);
  const code = codeIn(carrier.submitted[0]?.body);
  assert.match(code, /^\d{6}$/);
  const list = await kit.request("GET", "/v1/messages", { key: kit.liveKey });
  assert.equal(list.body.data[0].body, "Your Acme code is ******.\n\n@app.example.com #******");
  await kit.advance(60);
  await until(() => carrier.submitted.length === 2);
  assert.equal(codeIn(carrier.submitted[1]?.body), code, "the retry carries the code too");
  const body = { phone_number: PHONE, status: "opted_out", source: "test" };
  assert.equal((await kit.request("POST", "/v1/consent", { body })).status, 201);
  assertRefused(await start(kit, { from: OWN }), 400, "recipient_opted_out", "phone");
  assert.equal((await check(kit, code)).body.verified, true);
  assert.equal(
    (await start(kit)).status,
    201,
    "consent towards the account does not bind the service's number",
  );
});

test("a resend passes the same sender checks as a first code", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const [released, revoked] = usNumbers(2) as [string, string];
  await stock(kit, released, revoked);
  await addCredit(kit, 20);
  const registration = await giveRegistration(kit);
  await approve(kit, registration);
  const [first, second] = [PHONE, "+12125552672"];
  for (const [from, phone] of [
    [released, first],
    [revoked, second],
  ] as const) {
    await buy(kit, from, { key: kit.liveKey });
    await kit.advance(1);
    assert.equal((await start(kit, { from, phone })).status, 201);
  }
  const freed = await kit.request("DELETE", `/v1/numbers/${released}`, { key: kit.liveKey });
  assert.equal(freed.status, 200);
  assertRefused(await start(kit), 403, "sender_not_owned", "from");
  await review(kit, registration, { decision: "reject", code: "content.prohibited_debt" });
  const unregistered = await start(kit, { phone: second });
  assertRefused(unregistered, 403, "sender_not_registered", "from");
  assert.equal(unregistered.headers.get("x-svc-sender-state"), "action_needed");
  assert.equal(carrier.submitted.length, 2);
  const sends = await kit.rows("select sends, from_number from verifications order by id");
  assert.deepEqual(
    sends.map((row) => [row.sends, row.from_number]),
    [
      [1, released],
      [1, revoked],
    ],
  );
  const people = `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`;
  await kit.operator("POST", people, { phone_number: second });
  assert.equal(
    (await start(kit, { phone: second })).status,
    201,
    "verified numbers of the account are exempt",
  );
  assert.equal(carrier.submitted[2]?.from, revoked);
});

test("STOP and START to the service's number block and allow its codes", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const text = { carrier: "test-link", from: PHONE, to: POOL };
  await carrier.sink().inbound({ ...text, reference: "in-1", body: "STOP" });
  await until(async () => (await kit.rows("select 1 from verification_stops")).length === 1);
  assertRefused(await start(kit), 400, "recipient_opted_out", "phone");
  await carrier.sink().inbound({ ...text, reference: "in-2", body: "START" });
  await until(async () => (await kit.rows("select 1 from verification_stops")).length === 0);
  assert.equal((await start(kit)).status, 201);
});
