import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { addCredit, assertRefused, goLive, secondAccount } from "../../../../testing/live.ts";
import { accepted, createTestCarrier } from "../../../../testing/test-carrier.ts";
import { toApiId } from "../../../core/platform/ids.ts";
import { createLog } from "../../../core/platform/log.ts";

const codeIn = (text: string | undefined) => /\d{6}/.exec(text ?? "")?.[0] ?? "";

/** A different code of six digits. */
function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, "0");
}

describe("fraud protection of live codes", () => {
  const carrier = createTestCarrier();
  const takeDowns: (() => Promise<void>)[] = [];
  const lines: string[] = [];
  let kit: Kit;

  before(async () => {
    const log = createLog({ level: "trace", destination: { write: (line) => lines.push(line) } });
    const rules = '{"phone_per_hour_all_accounts":10}';
    const env = { LONGWAVE_VERIFY_NUMBERS: "+12065550150", LONGWAVE_VERIFY_RULES: rules };
    const lifetime = { after: (takeDown: () => Promise<void>) => void takeDowns.push(takeDown) };
    kit = await startKit(lifetime, env, { carriers: carrier, log });
    await goLive(kit, 10);
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });
  const post = (on: Kit, path: string, body: object, key = on.liveKey) =>
    on.request("POST", path, { key, body });
  const start = (phone: string, more: object = {}, on = kit) =>
    post(on, "/v1/verify", { phone, ...more });
  const check = (phone: string, code: string) => post(kit, "/v1/verify/check", { phone, code });
  const lastCode = () => codeIn(carrier.submitted.at(-1)?.body);

  test("test and live verifications of one phone are independent", async () => {
    const phone = "+14155552001";
    const live = await start(phone);
    const code = lastCode();
    const test = await post(kit, "/v1/verify", { phone }, kit.testKey);
    assert.notEqual(test.body.id, live.body.id);
    const inTest = (given: string) =>
      post(kit, "/v1/verify/check", { phone, code: given }, kit.testKey);
    assert.equal((await inTest(code)).body.verified, false);
    assert.equal((await check(phone, test.body.test_code)).body.verified, false);
    assert.equal((await inTest(test.body.test_code)).body.verified, true);
    assert.equal((await check(phone, code)).body.verified, true);
  });

  test("events and usage of a verification name its customer", async () => {
    const phone = "+14155552002";
    const { body: customer } = await post(kit, "/v1/customers", { name: "Acme" });
    const customer_id = customer.id;
    await start(phone, { customer_id });
    await check(phone, wrong(lastCode()));
    assert.equal((await check(phone, lastCode())).body.verified, true);
    await start("+15005550020", { customer_id });
    const events = await kit.rows(
      "select type, customer_id, data from events where data->>'customer_id' = $1 order by seq",
      [customer_id],
    );
    assert.deepEqual(
      events.map((event) => event.type),
      ["verification.sent", "verification.failed", "verification.approved", "verification.blocked"],
    );
    const usage = await kit.request("GET", `/v1/customers/${customer_id}/usage`, {
      key: kit.liveKey,
    });
    assert.deepEqual(usage.body.totals.verifications, { count: 1, cost_usd: 0 });
    assertRefused(
      await start(phone, { customer_id: "cus_00000000000000000000000000" }),
      400,
      "unknown_customer",
      "customer_id",
    );
  });

  test("the hourly limit of codes per phone spans all accounts", async () => {
    const phone = "+14155552003";
    const second = await secondAccount(kit);
    await goLive(second, 1);
    const third = await secondAccount(kit);
    await goLive(third, 1);
    for (const on of [kit, second]) {
      for (let send = 0; send < 5; send += 1) {
        assert.equal((await start(phone, {}, on)).status, 201);
      }
    }
    const eleventh = await start(phone, {}, third);
    assertRefused(eleventh, 429, "rate_limited", "phone");
    const wait = eleventh.headers.get("retry-after");
    assert.ok(Number(wait) > 3_500, String(wait));
    assert.equal((await post(third, "/v1/verify", { phone }, third.testKey)).status, 201);
    await kit.advance(3_601);
    assert.equal((await start(phone, {}, third)).status, 201);
  });

  test("an account without credit may leave ten codes a day unanswered", async () => {
    const poor = await secondAccount(kit);
    await goLive(poor, 0);
    const phoneAt = (n: number) => `+1212${340 + n}1234`;
    for (let n = 0; n < 10; n += 1) {
      assert.equal((await start(phoneAt(n), {}, poor)).status, 201);
    }
    assertRefused(await start(phoneAt(10), {}, poor), 403, "verification_blocked", "phone");
    const { body } = await poor.request("GET", "/v1/verify/decisions?limit=1&allowed=false", {
      key: poor.liveKey,
    });
    assert.equal(body.data[0].reason, "free_account");
    await addCredit(poor, 1);
    assert.equal((await start(phoneAt(10), {}, poor)).status, 201);
  });

  test("a burst over many area codes is bounded before anybody could answer, resends included", async () => {
    const busy = await secondAccount(kit);
    await goLive(busy, 10);
    const send = (n: number) =>
      start(
        `+1${["212", "305", "713", "206", "312"][n % 5]}${420 + (n % 80)}${1_000 + n * 17}`,
        {},
        busy,
      );
    const statuses = async (from: number, count: number) => {
      const found: number[] = [];
      for (let n = from; n < from + count; n += 1) found.push((await send(n)).status);
      return found;
    };
    busy.stopClock();
    assert.deepEqual(await statuses(0, 59), Array(59).fill(201));
    assert.deepEqual(await statuses(0, 2), [201, 403], "the sixtieth is a resend");
    await kit.rows(
      `insert into verification_hours (shard, account_id, mode, hour, answered)
       values ($1, $2, 'live', date_trunc('hour', $3::timestamptz) - interval '6 days', 21)`,
      [busy.account.shard, busy.account.id, new Date(kit.deps.clock.now())],
    );
    assert.deepEqual(await statuses(100, 4), [201, 201, 201, 403], "3 for each answered");
  });

  test("a hundred wrong codes in a row block a phone for a day", async () => {
    const phone = "+14155552004";
    await start(phone);
    // Simulate 95 earlier wrong codes.
    await kit.rows("update verification_phones set failures = 95 where phone = $1", [phone]);
    for (let attempt = 0; attempt < 5; attempt += 1) await check(phone, wrong(lastCode()));
    const refused = await start(phone);
    assertRefused(refused, 429, "rate_limited", "phone");
    const wait = refused.headers.get("retry-after");
    assert.ok(Number(wait) > 86_000, String(wait));
    await kit.advance(86_401);
    assert.equal((await start(phone)).status, 201);
    const [row] = await kit.rows("select failures from verification_phones where phone = $1", [
      phone,
    ]);
    assert.equal(row.failures, 0);
  });

  test("the dispatcher submits no code of a suspended account", async () => {
    const other = await secondAccount(kit);
    await goLive(other, 1);
    carrier.answers = [
      () => ({ kind: "refused", isTemporary: true, carrierCode: "busy" }),
      accepted,
    ];
    assert.equal((await start("+14155552005", {}, other)).status, 201);
    const submitted = carrier.submitted.length;
    const path = `/accounts/${toApiId("account", other.account.id)}`;
    await kit.operator("PATCH", path, { status: "suspended" });
    await kit.advance(600);
    assert.equal(carrier.submitted.length, submitted);
    carrier.answers = [accepted];
  });

  test("a start fails and sends nothing when its counters cannot be read", async () => {
    const submitted = carrier.submitted.length;
    await kit.rows("alter table verification_counters rename to away");
    assertRefused(await start("+14155552006"), 500, "internal_error");
    await kit.rows("alter table away rename to verification_counters");
    assert.equal(carrier.submitted.length, submitted);
    assert.equal((await start("+14155552006")).status, 201);
  });

  test("no log line at trace level contains the digits of a code", () => {
    const written = lines.join("").replaceAll(/"time":"[^"]*"|\d+\.\d+/g, "");
    assert.ok(lines.length > 0, "a log was kept");
    for (const { body } of carrier.submitted) {
      assert.doesNotMatch(written, new RegExp(`(?<![0-9a-z])${codeIn(body)}(?![0-9a-z])`));
    }
  });
});
