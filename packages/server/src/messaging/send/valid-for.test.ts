import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";

const FROM = "+14155550100";
const TO = "+14155552671";
const BUSY = () => ({ kind: "refused" as const, isTemporary: true, carrierCode: "busy" });

async function liveKit(t: TestContext): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz at time zone 'UTC')::date",
    [new Date(kit.deps.clock.now())],
  );
  return { kit, carrier };
}

function send(kit: Kit, more: Record<string, unknown>) {
  const body = { to: TO, from: FROM, body: "Hello", ...more };
  return kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
}

async function messageOf(kit: Kit, id: string) {
  return (await kit.request("GET", `/v1/messages/${id}`)).body;
}

test("a message that no carrier accepts in time fails as expired, free of charge", async (t) => {
  const { kit, carrier } = await liveKit(t);
  kit.stopClock();
  carrier.answers = [BUSY];
  const { body: made, status } = await send(kit, { valid_for: 600 });
  assert.equal(status, 202);
  await kit.advance(500);
  assert.equal((await messageOf(kit, made.id)).status, "queued");
  assert.equal(carrier.submitted.length, 3, "tried again after 30 seconds, and after two minutes");
  await kit.advance(100);
  const failed = await messageOf(kit, made.id);
  assert.equal(failed.status, "failed");
  assert.equal(failed.failure.code, "expired");
  assert.equal(failed.price, 0);
  const livedMs = Date.parse(failed.failed_at) - Date.parse(made.created_at);
  assert.ok(livedMs >= 600_000 && livedMs < 660_000, `failed after ${livedMs} ms`);
  await kit.advance(86_400);
  assert.equal(carrier.submitted.length, 3, "and is never tried again");
  assert.equal((await kit.request("GET", "/v1/account")).body.balance_usd, 10);
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
  const [event] = await kit.rows("select data from events where type = 'message.failed'");
  assert.equal(event.data.failure.code, "expired");
});

test("a message that a carrier accepts in time is sent, whatever follows", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [BUSY, () => ({ kind: "accepted", references: ["late"] })];
  const { body: made } = await send(kit, { valid_for: 60 });
  await kit.advance(3_600);
  assert.equal((await messageOf(kit, made.id)).status, "sent");
});

test("a submit whose answer was lost becomes unknown, not expired", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [() => ({ kind: "unknown" })];
  const { body: made } = await send(kit, { valid_for: 60 });
  await kit.advance(120);
  assert.equal((await messageOf(kit, made.id)).status, "queued");
  await kit.advance(900);
  assert.equal((await messageOf(kit, made.id)).failure.code, "outcome_unknown");
});

test("the validity of a scheduled message counts from its send time", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [BUSY];
  const scheduled_at = kit.deps.clock.now() + 3_600_000;
  const { body: made } = await send(kit, { scheduled_at, valid_for: 90 });
  await kit.advance(3_601);
  const { message_id, status } = (await kit.request("GET", `/v1/scheduled_messages/${made.id}`))
    .body;
  assert.equal(status, "sent");
  assert.equal((await messageOf(kit, message_id)).status, "queued");
  await kit.advance(95);
  assert.equal((await messageOf(kit, message_id)).failure.code, "expired");
});

test("rows of a batch that could not be sent in time fail, even if the batch was paused", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [BUSY];
  const recipients = [1, 2, 3].map((n) => ({ to: `+1415555268${n}` }));
  const batch = (more: object) =>
    kit.request("POST", "/v1/batches", {
      key: kit.liveKey,
      body: { from: FROM, body: "Hello", recipients, valid_for: 120, ...more },
    });
  const first = (await batch({})).body;
  await kit.advance(150);
  const done = (await kit.request("GET", `/v1/batches/${first.id}`)).body;
  assert.deepEqual([done.status, done.counts.failed], ["complete", 3]);
  const failed = (await kit.request("GET", `/v1/batches/${first.id}/recipients`)).body.data;
  assert.ok(failed.every((row: { failure: { code: string } }) => row.failure.code === "expired"));

  carrier.answers = [];
  const later = (await batch({ scheduled_at: kit.deps.clock.now() + 60_000 })).body;
  await kit.request("POST", `/v1/batches/${later.id}/pause`, { key: kit.liveKey });
  await kit.advance(60 + 121);
  await kit.request("POST", `/v1/batches/${later.id}/resume`, { key: kit.liveKey });
  await kit.advance(5);
  const resumed = (await kit.request("GET", `/v1/batches/${later.id}`)).body;
  assert.deepEqual([resumed.status, resumed.counts.failed], ["complete", 3]);
  const retried = await kit.request("POST", `/v1/batches/${later.id}/retry`, { key: kit.liveKey });
  assert.equal(retried.body.affected, 0, "what expired is not worth another try");
  await assertMoneyAddsUp(kit.rows);
  await assertMessagesWhole(kit.rows);
});

test("accepts 60 to 259,200 seconds", async (t) => {
  const { kit } = await liveKit(t);
  for (const valid_for of [59, 259_201, 60.5, "60"]) {
    assertRefused(await send(kit, { valid_for }), 400, "invalid_request", "valid_for");
  }
  assert.equal((await send(kit, { valid_for: 259_200 })).status, 201);
});
