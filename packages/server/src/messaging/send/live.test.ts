import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { accepted, createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
const TO = "+14155552671";

async function liveKit(
  t: TestContext,
  creditUsd = 10,
): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, creditUsd);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  return { kit, carrier };
}

async function send(
  kit: Kit,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const body = { to: TO, from: FROM, body: "Hello", ...more };
  return kit.request("POST", "/v1/messages", { key: kit.liveKey, body, headers });
}

async function read(kit: Kit, id: string) {
  return (await kit.request("GET", `/v1/messages/${id}`)).body;
}

async function typesOf(kit: Kit): Promise<string[]> {
  const rows = await kit.rows("select type from events where type like 'message.%' order by seq");
  return rows.map((row) => row.type);
}

async function exhaustAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date",
    [new Date(kit.deps.clock.now())],
  );
}

async function money(kit: Kit) {
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
  const [row] = await kit.rows(
    "select balance_micros, reserved_micros, texts_used from account_counters",
  );
  const [sum] = await kit.rows(
    "select coalesce(sum(amount_micros), 0)::bigint as total from ledger_entries",
  );
  return { ...row, ledger: sum.total };
}

test("a message that the carrier accepts is sent, billed and submitted once", async (t) => {
  const { kit, carrier } = await liveKit(t);
  await exhaustAllowance(kit);
  const answer = await send(kit);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.equal(answer.body.status, "sent");
  assert.equal(answer.body.simulated, false);
  assert.equal(answer.body.price, 0.009);
  assert.equal(answer.body.carrier, "test-link");
  assert.equal(carrier.submitted.length, 1);
  assert.equal(carrier.submitted[0]?.body, "Hello");
  assert.deepEqual(await money(kit), {
    balance_micros: 9_991_000,
    reserved_micros: 0,
    texts_used: 100,
    ledger: 9_991_000,
  });
  assert.deepEqual(await typesOf(kit), ["message.sent"]);
});

test("free messages are used first and cost nothing", async (t) => {
  const { kit } = await liveKit(t);
  const answer = await send(kit);
  assert.equal(answer.body.price, 0);
  const standing = await money(kit);
  assert.equal(standing.texts_used, 1);
  assert.equal(standing.balance_micros, 10_000_000);
});

test("a permanent refusal is a 502, unbilled, and returns the free message", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [
    () => ({
      kind: "refused",
      isTemporary: false,
      carrierCode: "ESME_RINVDSTADR",
      failure: "invalid_number",
    }),
  ];
  const answer = await send(kit);
  assert.equal(answer.status, 502);
  const message = await read(kit, answer.body.message_id);
  assert.equal(message.status, "failed");
  assert.equal(message.failure.code, "invalid_number");
  assert.equal(message.failure.carrier_code, "ESME_RINVDSTADR");
  assert.equal(message.price, 0);
  assert.deepEqual(await money(kit), {
    balance_micros: 10_000_000,
    reserved_micros: 0,
    texts_used: 0,
    ledger: 10_000_000,
  });
  assert.deepEqual(await typesOf(kit), ["message.failed"]);
});

test("a slow carrier makes the answer a 202, and its late answer still counts", async (t) => {
  const { kit, carrier } = await liveKit(t);
  let answerNow: () => void = () => {};
  carrier.answers = [
    () =>
      new Promise((resolve) => {
        answerNow = () => resolve(accepted());
      }),
  ];
  const answer = await send(kit);
  assert.equal(answer.status, 202);
  assert.equal(answer.body.status, "queued");
  answerNow();
  await until(async () => (await read(kit, answer.body.id)).status === "sent");
});

test("without a carrier for the number a message waits as after a temporary refusal", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const answer = await send(kit);
  assert.equal(answer.status, 202);
  assert.equal(answer.body.status, "queued");
  const nextAt = answer.body.next_attempt_at;
  assert.equal(Date.parse(nextAt) - Date.parse(answer.body.created_at), 30_000);
  const path = `/v1/messages/${answer.body.id}/timeline`;
  const { body: timeline } = await kit.request("GET", path, { key: kit.liveKey });
  const [, first, second] = timeline.entries;
  assert.equal(first.step, "carrier_deferred");
  assert.equal(first.description, `No carrier serves ${FROM}. Next attempt at ${nextAt}.`);
  assert.deepEqual([second.step, second.at], ["waiting", nextAt]);
  await kit.advance(4 * 3_600);
  const failed = await read(kit, answer.body.id);
  assert.equal(failed.failure.code, "carrier_unavailable");
  const waited = (Date.parse(failed.failed_at) - Date.parse(failed.created_at)) / 1_000;
  assert.ok(waited >= 9_750 && waited < 9_760, `${waited} s: the first attempt counted`);
});

test("a temporary failure shows the carrier's error and the time of the next attempt", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [
    () => ({ kind: "refused", isTemporary: true, carrierCode: "smpp:0x00000008" }),
    () => ({ kind: "refused", isTemporary: false, carrierCode: "smpp:0x00000455" }),
  ];
  const answer = await send(kit);
  assert.equal(answer.status, 202);
  const entries = async () => {
    const path = `/v1/messages/${answer.body.id}/timeline`;
    const { body } = await kit.request("GET", path, { key: kit.liveKey });
    return body.entries as { step: string; description: string; at: string }[];
  };
  const [, , deferred, waiting] = await entries();
  assert.equal(deferred?.step, "carrier_deferred");
  assert.equal(
    deferred?.description,
    `test-link returned a temporary error (0x08, system error). Next attempt at ${answer.body.next_attempt_at}.`,
  );
  assert.deepEqual([waiting?.step, waiting?.at], ["waiting", answer.body.next_attempt_at]);
  await kit.advance(60);
  const after = await entries();
  assert.deepEqual(
    after.map((one) => one.step),
    ["accepted", "handed_over", "carrier_deferred", "handed_over", "carrier_rejected", "failed"],
  );
  assert.equal(
    after[2]?.description,
    `test-link returned a temporary error (0x08, system error). Retried at ${answer.body.next_attempt_at}.`,
  );
  assert.equal(after[4]?.description, "test-link refused it (0x455).");
});

test("200 parallel sends on a balance for 50 send exactly 50", async (t) => {
  const { kit, carrier } = await liveKit(t, 0.45);
  carrier.window = 1_000;
  await exhaustAllowance(kit);
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(kit)));
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  assert.equal(count(201), 50);
  assert.equal(count(402), 150);
  assert.equal(carrier.submitted.length, 50);
  assert.deepEqual(await money(kit), {
    balance_micros: 0,
    reserved_micros: 0,
    texts_used: 100,
    ledger: 0,
  });
  const [row] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(row.n, 50);
});

test("the daily quota resets with the UTC day", async (t) => {
  const { kit } = await liveKit(t);
  const account = toApiId("account", kit.account.id);
  await kit.operator("PATCH", `/accounts/${account}`, { daily_message_quota: 2 });
  assert.equal((await send(kit)).status, 201);
  assert.equal((await send(kit)).status, 201);
  const refused = await send(kit);
  assert.equal(refused.status, 429);
  assert.equal(refused.body.error.code, "quota_exceeded");
  // The time of the new quota: not a second earlier, at most one later.
  const seconds = Number(refused.headers.get("retry-after"));
  const untilMidnight = (86_400_000 - (kit.deps.clock.now() % 86_400_000)) / 1_000;
  assert.ok(Math.abs(seconds - untilMidnight) < 60, `${seconds} s, and ${untilMidnight} s`);
  await kit.advance(seconds);
  assert.equal((await send(kit)).status, 201);
});

test("an unregistered US number sends only to verified phones", async (t) => {
  const { kit } = await liveKit(t);
  const from = await giveNumber(kit, {
    phone: "+14155550101",
    mode: "live",
    senderState: "pending",
  });
  const refused = await send(kit, { from });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, "sender_not_registered");
  assert.equal(refused.headers.get("x-svc-sender-state"), "pending");
  await kit.operator("POST", `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`, {
    phone_number: TO,
  });
  assert.equal((await send(kit, { from })).status, 201);
});

test("a pool remembers an unregistered member that messaged a verified phone, and no refused one", async (t) => {
  const { kit } = await liveKit(t);
  const member = (phone: string, senderState: "pending" | "active") =>
    giveNumber(kit, { phone, mode: "live", senderState });
  const pending = await member("+14155550101", "pending");
  const pool = (
    await kit.request("POST", "/v1/pools", {
      key: kit.liveKey,
      body: { name: "Support", numbers: [pending] },
    })
  ).body;
  const other = "+14155552672";
  await kit.operator("POST", `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`, {
    phone_number: TO,
  });
  assert.equal((await send(kit, { from: pool.id })).body.from, pending);
  const refused = await send(kit, { from: pool.id, to: other });
  assert.equal(refused.body.error.code, "sender_not_registered");
  const active = await member("+14155550102", "active");
  const changed = await kit.request("PATCH", `/v1/pools/${pool.id}`, {
    key: kit.liveKey,
    body: { numbers: [pending, active] },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.equal((await send(kit, { from: pool.id })).body.from, pending);
  assert.equal((await send(kit, { from: pool.id, to: other })).body.from, active);
  assert.deepEqual(
    (await kit.rows("select recipient from pool_choices order by recipient")).map(
      (row) => row.recipient,
    ),
    [TO, other],
  );
});

test("a sandbox message to the account's verified phone is really sent, free of charge", async (t) => {
  const { kit, carrier } = await liveKit(t);
  await giveNumber(kit, { phone: "+15005550100" });
  await kit.operator("POST", `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`, {
    phone_number: TO,
  });
  const answer = await kit.request("POST", "/v1/messages", {
    body: { to: TO, from: "+15005550100", body: "Me" },
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.simulated, false);
  assert.equal(answer.body.price, 0);
  assert.equal(carrier.submitted.length, 1);
  assert.equal((await money(kit)).texts_used, 0);
});

test("modes do not mix, and a suspended account's waiting message fails", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const mixed = await kit.request("POST", "/v1/messages", {
    body: { to: TO, from: FROM, body: "x" },
  });
  assert.equal(mixed.body.error.code, "mode_mismatch");
  carrier.answers = [
    () => ({ kind: "refused", isTemporary: true, carrierCode: null }),
    () => accepted(),
  ];
  const answer = await send(kit);
  assert.equal(answer.status, 202);
  const account = toApiId("account", kit.account.id);
  await kit.operator("PATCH", `/accounts/${account}`, { status: "suspended" });
  await kit.advance(300);
  assert.equal(carrier.submitted.length, 1);
  await kit.operator("PATCH", `/accounts/${account}`, { status: "active" });
  await kit.advance(300);
  assert.equal(carrier.submitted.length, 1);
  const failed = await read(kit, answer.body.id);
  assert.deepEqual([failed.status, failed.failure.code], ["failed", "sender_unavailable"]);
  assert.equal((await money(kit)).texts_used, 0, "the free message is given back");
});
