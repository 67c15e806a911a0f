import assert from "node:assert/strict";
import test from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

const freshKit = freshAccounts();

const FROM = "+15005550100";
const TO = "+15005550000";

async function schedule(kit: Kit, secondsAhead: number, more: Record<string, unknown> = {}) {
  const scheduled_at = new Date(kit.deps.clock.now() + secondsAhead * 1_000).toISOString();
  const body = { to: TO, from: FROM, body: "Later", scheduled_at, ...more };
  return kit.request("POST", "/v1/messages", { body });
}

async function read(kit: Kit, id: string) {
  return (await kit.request("GET", `/v1/scheduled_messages/${id}`)).body;
}

test("a scheduled message leaves at its time, not before, as a normal message", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const answer = await schedule(kit, 3_600);
  assert.equal(answer.status, 201);
  assert.equal(answer.body.object, "scheduled_message");
  assert.equal(answer.body.status, "pending");
  await kit.advance(3_500);
  assert.equal((await read(kit, answer.body.id)).status, "pending");
  await kit.advance(200);
  const sent = await read(kit, answer.body.id);
  assert.equal(sent.status, "sent");
  const message = (await kit.request("GET", `/v1/messages/${sent.message_id}`)).body;
  assert.equal(message.scheduled_message_id, answer.body.id);
  assert.equal(message.status, "delivered");
  assert.ok(message.created_at >= answer.body.scheduled_at);
  const gone = await kit.request("DELETE", `/v1/scheduled_messages/${answer.body.id}`);
  assert.equal(gone.status, 404);
});

test("the list shows pending messages, soonest first, page by page", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const ids: string[] = [];
  for (const seconds of [500, 100, 300, 200, 400]) ids.push((await schedule(kit, seconds)).body.id);
  const order = [1, 3, 2, 4, 0].map((index) => ids[index]);
  const first = (await kit.request("GET", "/v1/scheduled_messages?limit=3")).body;
  const second = (
    await kit.request("GET", `/v1/scheduled_messages?limit=3&cursor=${first.next_cursor}`)
  ).body;
  const seen = [...first.data, ...second.data].map((item: { id: string }) => item.id);
  assert.deepEqual(seen, order);
  assert.equal(second.has_more, false);
});

test("a canceled message stays canceled after repeated cancels", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const { body } = await schedule(kit, 100);
  const first = await kit.request("DELETE", `/v1/scheduled_messages/${body.id}`);
  assert.equal(first.status, 200);
  assert.equal(first.body.status, "canceled");
  const again = await kit.request("DELETE", `/v1/scheduled_messages/${body.id}`);
  assert.deepEqual(again.body, first.body);
  await kit.advance(200);
  const [row] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(row.n, 0);
});

test("concurrent cancel and send: exactly one wins", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const ids = await Promise.all(
    Array.from({ length: 30 }, async () => (await schedule(kit, 60)).body.id),
  );
  const [canceled] = await Promise.all([
    Promise.all(ids.map((id) => kit.request("DELETE", `/v1/scheduled_messages/${id}`))),
    kit.advance(61),
  ]);
  for (const [index, id] of ids.entries()) {
    const uuid = fromApiId("scheduled_message", id);
    const [row] = await kit.rows(
      "select count(*)::int as n from messages where scheduled_message_id = $1",
      [uuid],
    );
    const now = await read(kit, id);
    assert.equal(row.n, now.status === "sent" ? 1 : 0);
    assert.equal(now.status === "sent", now.message_id !== null);
    assert.equal(canceled[index]?.status, now.status === "canceled" ? 200 : 404, id);
  }
});

test("every check runs again at the send time, and a failed check makes a failed message", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const optedOut = (await schedule(kit, 60, { to: "+14155552671" })).body.id;
  const released = (await schedule(kit, 60, { to: "+14155552672" })).body.id;
  await kit.request("POST", "/v1/consent", {
    body: { phone_number: "+14155552671", status: "opted_out", source: "web" },
  });
  await kit.advance(1);
  await kit.rows(
    "update scheduled_messages set sender = '+14155550177' where to_number = '+14155552672'",
  );
  await kit.advance(120);
  assert.equal((await read(kit, optedOut)).failure.code, "recipient_opted_out");
  assert.equal((await read(kit, released)).failure.code, "sender_unavailable");
  for (const id of [optedOut, released]) {
    const { message_id, failure } = await read(kit, id);
    const { body: message } = await kit.request("GET", `/v1/messages/${message_id}`);
    assert.deepEqual(
      [message.status, message.scheduled_message_id, message.failure, message.price],
      ["failed", id, failure, 0],
    );
    const told = await kit.rows("select type from events where data ->> 'message_id' = $1", [
      message_id,
    ]);
    assert.deepEqual(told, [{ type: "message.failed" }]);
  }
  const [row] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(row.n, 2);
});

test("a suspended account's scheduled messages fail", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const { body } = await schedule(kit, 60);
  const path = `/accounts/${toApiId("account", kit.account.id)}`;
  await kit.operator("PATCH", path, { status: "suspended" });
  await kit.advance(120);
  await kit.operator("PATCH", path, { status: "active" });
  assert.equal((await read(kit, body.id)).failure.code, "sender_unavailable");
});

test("an idempotency key schedules once", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const scheduled_at = kit.deps.clock.now() + 60_000;
  const options = {
    body: { to: TO, from: FROM, body: "Once", scheduled_at },
    headers: { "idempotency-key": "s-1" },
  };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => kit.request("POST", "/v1/messages", options)),
  );
  const ids = new Set(
    answers.filter((answer) => answer.status === 201).map((answer) => answer.body.id),
  );
  assert.equal(ids.size, 1);
});
