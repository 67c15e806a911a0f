import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { nextDayMs } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";

const SERVICE_NUMBER = "+12065550150";
const ENV = { LONGWAVE_VERIFY_NUMBERS: SERVICE_NUMBER };

/** A server with a carrier, its clock stopped shortly after midnight UTC. */
async function carrierKit(t: TestContext): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, ENV, { carriers: carrier });
  kit.stopClock();
  await nextDay(kit);
  return { kit, carrier };
}

async function nextDay(kit: Kit): Promise<void> {
  const now = kit.deps.clock.now();
  await kit.advance(Math.ceil((nextDayMs(now) - now) / 1_000) + 60);
}

const enter = (kit: Kit, phone_number: string, key = kit.testKey) =>
  kit.request("POST", "/v1/verified_numbers", { key, body: { phone_number } });
const remove = (kit: Kit, phone: string) =>
  kit.request("DELETE", `/v1/verified_numbers/${encodeURIComponent(phone)}`);
const confirm = (kit: Kit, phone_number: string, code: string) =>
  kit.request("POST", "/v1/verified_numbers/confirm", { body: { phone_number, code } });

/** Phones that the account does not know, each in its own exchange. */
const unknownPhone = (index: number) => `+1415${220 + index}${String(1_000 + 37 * index)}`;

test("one account sends at most 20 real codes a UTC day, however often it deletes the phone", async (t) => {
  const { kit, carrier } = await carrierKit(t);
  const statuses: number[] = [];
  for (let index = 0; index < 30; index += 1) {
    const answer = await enter(kit, unknownPhone(index));
    statuses.push(answer.status);
    if (answer.status === 201) assert.equal((await remove(kit, unknownPhone(index))).status, 200);
    else assertRefused(answer, 429, "rate_limited", "phone_number");
    await kit.advance(30);
  }
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(201));
  assert.deepEqual(statuses.slice(20), Array(10).fill(429));
  assert.ok(carrier.submitted.length <= 20, `${carrier.submitted.length} codes left`);
  const now = kit.deps.clock.now();
  const refused = await enter(kit, unknownPhone(31));
  const untilMidnight = Math.ceil((nextDayMs(now) - now) / 1_000);
  assert.equal(Number(refused.headers.get("retry-after")), untilMidnight);
  await nextDay(kit);
  assert.equal((await enter(kit, unknownPhone(31))).status, 201, "the next day counts anew");
});

test("parallel requests of two processes share the account's 20 codes a day", async (t) => {
  const { kit } = await carrierKit(t);
  const roles = { ...ENV, LONGWAVE_ROLES: "api" };
  const other = await startKitOn(t, kit.connection, roles, { carriers: createTestCarrier() });
  for (let index = 0; index < 15; index += 1) {
    assert.equal((await enter(kit, unknownPhone(index))).status, 201);
    await remove(kit, unknownPhone(index));
  }
  const late = Array.from({ length: 10 }, (_, index) => unknownPhone(20 + index));
  const answers = await Promise.all(
    late.map((phone, index) => enter(index % 2 === 0 ? kit : other, phone, kit.testKey)),
  );
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(201), ...Array(5).fill(429)]);
  assert.equal((await kit.rows("select 1 from messages where from_service")).length, 20);
});

test("one phone gets at most 5 of these codes a UTC day from all accounts together", async (t) => {
  const { kit } = await carrierKit(t);
  const phone = unknownPhone(0);
  const accounts = [kit, await secondAccount(kit), await secondAccount(kit)];
  for (let index = 0; index < 5; index += 1) {
    const account = accounts[index % 3] as Kit;
    assert.equal((await enter(account, phone, account.testKey)).status, 201);
    await account.request("DELETE", `/v1/verified_numbers/${encodeURIComponent(phone)}`);
    await kit.advance(3_600);
  }
  for (const account of accounts) {
    assertRefused(
      await enter(account, phone, account.testKey),
      429,
      "rate_limited",
      "phone_number",
    );
  }
  await nextDay(kit);
  assert.equal((await enter(kit, phone)).status, 201);
});

test("the sixth neighbouring number without a confirmed code is blocked, and the block persists", async (t) => {
  const { kit, carrier } = await carrierKit(t);
  for (let index = 0; index < 5; index += 1) {
    assert.equal((await enter(kit, `+1415555267${index}`)).status, 201);
    await remove(kit, `+1415555267${index}`);
  }
  const blocked = await enter(kit, "+14155552675");
  assertRefused(blocked, 403, "verification_blocked", "phone_number");
  assert.equal(blocked.body.charged, false);
  await kit.advance(1);
  assert.ok(!carrier.submitted.some((text) => text.to === "+14155552675"));
  const { data } = (await kit.request("GET", "/v1/verify/decisions")).body;
  assert.equal(data[0].reason, "neighbouring_numbers");
  assert.equal(data[0].phone, "+14155552675");
  assert.equal(data[0].verification_id, null);
  assert.equal(data.length, 6, "codes that left have a decision, too");
  await kit.advance(7_200);
  assertRefused(await enter(kit, "+14155552999"), 403, "verification_blocked", "phone_number");
  const { data: later } = (await kit.request("GET", "/v1/verify/decisions")).body;
  assert.equal(later[0].reason, "prefix_blocked");
  assert.deepEqual((await kit.request("GET", "/v1/verify")).body.data ?? [], []);
});

test("confirmed codes do not count as unanswered", async (t) => {
  const { kit, carrier } = await carrierKit(t);
  for (let index = 0; index < 7; index += 1) {
    const phone = `+1415555267${index}`;
    assert.equal((await enter(kit, phone)).status, 201);
    await kit.advance(1);
    const code = /\d{6}/.exec(carrier.submitted.at(-1)?.body ?? "")?.[0] ?? "";
    assert.equal((await confirm(kit, phone, code)).status, 200);
  }
});

test("codes of POST /verify and of POST /verified_numbers count together", async (t) => {
  const { kit } = await carrierKit(t);
  for (let index = 0; index < 5; index += 1) {
    const body = { phone: `+1415555267${index}` };
    assert.equal((await kit.request("POST", "/v1/verify", { body })).status, 201);
  }
  assertRefused(await enter(kit, "+14155552675"), 403, "verification_blocked", "phone_number");
});

test("a landline gets no code, and the refusal frees the Idempotency-Key", async (t) => {
  const { kit, carrier } = await carrierKit(t);
  const headers = { "idempotency-key": "own-phone-1" };
  for (let tries = 0; tries < 2; tries += 1) {
    const body = { phone_number: "+15005550007" };
    const answer = await kit.request("POST", "/v1/verified_numbers", { headers, body });
    assertRefused(answer, 403, "verification_blocked", "phone_number");
  }
  assert.equal(carrier.submitted.length, 0);
});

test("the operator enters a phone without a message", async (t) => {
  const { kit, carrier } = await carrierKit(t);
  const path = `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`;
  assert.equal((await kit.operator("POST", path, { phone_number: unknownPhone(0) })).status, 201);
  await kit.advance(1);
  assert.equal(carrier.submitted.length, 0);
});

test("simulated codes are not counted: they reach no phone", async (t) => {
  const kit = await startKit(t);
  for (let index = 0; index < 30; index += 1) {
    assert.equal((await enter(kit, unknownPhone(index))).status, 201);
    await remove(kit, unknownPhone(index));
  }
});
