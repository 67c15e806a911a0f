import assert from "node:assert/strict";
import test from "node:test";
import type { Kit } from "../../../testing/kit.ts";
import {
  CAP,
  FROM,
  OWN_PHONE,
  SERVICE_NUMBER,
  sandboxKit,
  send,
} from "../../../testing/own-phone-sends.ts";

/** STOP from the verified phone to the service's number. */
async function stopService(kit: Kit): Promise<void> {
  await kit.rows(
    "insert into verification_stops (shard, phone, stopped_at) values (0, $1, now())",
    [OWN_PHONE],
  );
}

/** Uses up the day's real messages except `left`. */
async function useUp(kit: Kit, left: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: CAP - left }, () => send(kit)));
  assert.ok(answers.every(({ body }) => body.simulated === false));
}

test("batches, scheduled messages, schedules, automations, keyword replies and codes share the cap", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  await useUp(kit, 0);
  const before = carrier.submitted.length;
  const now = kit.deps.clock.now();
  const post = async (path: string, body: object, status = 201) => {
    const answer = await kit.request("POST", path, { body });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  await post("/v1/batches", { from: FROM, body: "Hi", recipients: [{ to: OWN_PHONE }] });
  const at = new Date(now + 60_000).toISOString();
  await post("/v1/messages", { to: OWN_PHONE, from: FROM, body: "Later", scheduled_at: at });
  const every = { rrule: "FREQ=MINUTELY;COUNT=2", timezone: "UTC" };
  await post("/v1/schedules", { to: OWN_PHONE, from: FROM, body: "Again", ...every });
  const steps = [{ type: "send", from: FROM, body: "Step" }];
  const trigger = { event: "signed_up" };
  await post("/v1/automations", { name: "Welcome", trigger, steps });
  await post("/v1/contacts", { phone_number: OWN_PHONE });
  await post("/v1/track", { event: "signed_up", phone_number: OWN_PHONE }, 202);
  await post("/v1/test/inbound", { from: OWN_PHONE, to: FROM, body: "HELP" });
  const code = await post("/v1/verify", { phone: OWN_PHONE });
  assert.equal(code.simulated, true);
  assert.match(code.test_code, /^\d{6}$/);
  await kit.advance(300);
  assert.equal(carrier.submitted.length, before, "no carrier saw any of them");
  const rows = await kit.rows(
    "select body, simulated from messages where direction = 'outbound' and body <> 'Hi' or batch_id is not null",
  );
  assert.ok(rows.length >= 5, JSON.stringify(rows));
  assert.ok(rows.every((row) => row.simulated));
});

test("a code through a real carrier is resent only within the cap", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  await useUp(kit, 1);
  const start = () => kit.request("POST", "/v1/verify", { body: { phone: OWN_PHONE } });
  const first = await start();
  assert.equal(first.body.simulated, false);
  const again = await start();
  assert.equal(again.status, 429, JSON.stringify(again.body));
  assert.equal(again.body.error.code, "rate_limited");
  await kit.advance(1);
  assert.equal(carrier.submitted.length, CAP);
});

test("a real sandbox message is sent from the service's number and keeps its own `from`", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  carrier.answers = [
    () => ({ kind: "refused", isTemporary: true, carrierCode: "busy" }),
    () => ({ kind: "accepted", references: ["r-1"] }),
  ];
  const sent = await send(kit);
  assert.equal(sent.body.from, FROM);
  assert.equal(sent.body.simulated, false);
  await kit.advance(31);
  assert.deepEqual(
    carrier.submitted.map((text) => [text.from, text.to]),
    [
      [SERVICE_NUMBER, OWN_PHONE],
      [SERVICE_NUMBER, OWN_PHONE],
    ],
  );
  const read = await kit.request("GET", `/v1/messages/${sent.body.id}`);
  assert.equal(read.body.from, FROM);
  assert.equal(read.body.price, 0);
});

test("without a service number it is sent from the requested number", async (t) => {
  const { kit, carrier } = await sandboxKit(t, {});
  assert.equal((await send(kit)).body.simulated, false);
  assert.deepEqual(
    carrier.submitted.map((text) => text.from),
    [FROM],
  );
});

test("STOP to the service's number stops a real sandbox message that waits for its carrier", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  carrier.answers = [() => ({ kind: "refused", isTemporary: true, carrierCode: "busy" })];
  const sent = await send(kit);
  assert.equal(sent.body.simulated, false);
  await stopService(kit);
  await kit.advance(31);
  assert.equal(carrier.submitted.length, 1, "no second attempt");
  const read = await kit.request("GET", `/v1/messages/${sent.body.id}`);
  assert.equal(read.body.status, "failed");
  assert.equal(read.body.failure.code, "recipient_opted_out");
});

test("a phone that opted out of the service's number gets simulated messages only", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  await stopService(kit);
  assert.equal((await send(kit)).body.simulated, true);
  assert.equal(carrier.submitted.length, 0);
});
