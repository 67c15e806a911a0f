import assert from "node:assert/strict";
import { test } from "node:test";
import { Stripe } from "stripe";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  type Received,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import type { Kit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";

const openAccount = freshAccounts(LOCAL_TARGETS);

/** Delays in s after each failed attempt. */
const DELAYS = [60, 300, 1_800, 7_200, 43_200];

const undelivered = async (kit: Kit) =>
  (await kit.request("GET", "/v1/webhooks/undelivered")).body.data;
const attempts = async (kit: Kit) =>
  (await log(kit)).map((entry: { attempt: number }) => entry.attempt);

function isSignedWith(secret: string, received: Received | undefined, nowSeconds: number): boolean {
  const signature = String(received?.headers["svc-signature"]);
  try {
    const tolerance = 300;
    const { webhooks } = new Stripe("sk_test_unused");
    webhooks.constructEvent(
      received?.text ?? "",
      signature,
      secret,
      tolerance,
      undefined,
      nowSeconds * 1_000,
    );
    return true;
  } catch {
    return false;
  }
}

test("six attempts at their times, then undelivered for 30 days", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const { id: hookId, secret } = await createHook(kit, receiver.url("/in"));
  receiver.behave("/in", 500);
  await emit(kit);
  await receiver.got("/in", 1);
  await until(async () => (await attempts(kit)).length === 1);
  for (const [index, delay] of DELAYS.entries()) {
    await kit.advance(delay - 20);
    assert.equal(receiver.at("/in").length, index + 1, `too early: attempt ${index + 2}`);
    await kit.advance(20);
    assert.equal(receiver.at("/in").length, index + 2, `not made: attempt ${index + 2}`);
    assert.deepEqual(await undelivered(kit).then((list) => list.length), index === 4 ? 1 : 0);
  }
  await kit.advance(5 * 86_400);
  const received = receiver.at("/in");
  assert.equal(received.length, 6);
  assert.equal(new Set(received.map((one) => one.text)).size, 1);
  assert.equal(new Set(received.map((one) => one.headers["svc-event-id"])).size, 1);
  // `t` follows the service's clock: each signature is valid at its own time only.
  const times = received.map((one) =>
    Number(/t=(\d+)/.exec(String(one.headers["svc-signature"]))?.[1]),
  );
  times.slice(1).forEach((time, index) => {
    const waited = time - (times[index] ?? 0);
    assert.ok(Math.abs(waited - (DELAYS[index] ?? 0)) <= 5, `${index}: ${waited}`);
  });
  assert.ok(received.every((one, index) => isSignedWith(secret, one, times[index] ?? 0)));

  assert.deepEqual(await attempts(kit), [1, 2, 3, 4, 5, 6]);
  const entries = await log(kit);
  assert.ok(
    entries.every((entry: Record<string, unknown>) => !entry["ok"] && entry["status_code"] === 500),
  );
  const event = received[0]?.event;
  assert.deepEqual(await undelivered(kit), [
    {
      object: "undelivered_event",
      event,
      endpoint_id: hookId,
      attempts: 6,
      last_status_code: 500,
      last_attempt_at: entries[5].created_at,
    },
  ]);
  // Failures never disable an endpoint.
  assert.equal((await kit.request("GET", `/v1/webhooks/${hookId}`)).body.active, true);

  await kit.advance(26 * 86_400);
  assert.deepEqual(await undelivered(kit), []);
  assert.deepEqual(await log(kit), []);
  assert.deepEqual((await kit.request("GET", "/v1/events")).body.data, []);
});

test("a successful retry is the last, and retries are signed with the new secret", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  receiver.behave("/in", 503);
  await emit(kit);
  await until(async () => (await attempts(kit)).length === 1);
  const rotated = await kit.request("POST", `/v1/webhooks/${hook.id}/rotate_secret`);
  assert.equal(rotated.status, 200);
  assert.notEqual(rotated.body.secret, hook.secret);
  receiver.behave("/in", 204);
  await kit.advance(61);
  const [first, second] = receiver.at("/in");
  const now = kit.deps.clock.now() / 1_000;
  assert.ok(isSignedWith(hook.secret, first, now - 61));
  assert.ok(!isSignedWith(hook.secret, second, now));
  assert.ok(isSignedWith(rotated.body.secret, second, now));
  await kit.advance(86_400);
  assert.equal(receiver.at("/in").length, 2);
  assert.deepEqual(await attempts(kit), [1, 2]);
  assert.deepEqual(await undelivered(kit), []);
});

test("a paused endpoint gets nothing; its retries wait until it is active again", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const { id } = await createHook(kit, receiver.url("/in"));
  const setActive = (active: boolean) =>
    kit.request("PATCH", `/v1/webhooks/${id}`, { body: { active } });
  receiver.behave("/in", 500);
  await emit(kit);
  await until(async () => (await attempts(kit)).length === 1);
  await setActive(false);
  await emit(kit);
  await kit.advance(3_600);
  assert.equal(receiver.at("/in").length, 1);
  const jobs = await kit.rows("select queue_state, attempt from webhook_jobs");
  assert.deepEqual(jobs, [{ queue_state: "paused", attempt: 2 }]);
  receiver.behave("/in", 200);
  await setActive(true);
  // Overdue retries leave at once; the event of the pause was never queued.
  await receiver.got("/in", 2);
  await kit.advance(86_400);
  assert.equal(receiver.at("/in").length, 2);
  assert.deepEqual(await attempts(kit), [1, 2]);
  assert.deepEqual(await kit.rows("select * from webhook_jobs"), []);
});

test("pending deliveries of a deleted endpoint vanish; its log stays", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  const paused = await createHook(kit, receiver.url("/paused"));
  receiver.behave("/in", 500);
  receiver.behave("/paused", 500);
  await emit(kit);
  await until(async () => (await attempts(kit)).length === 2);
  await kit.request("PATCH", `/v1/webhooks/${paused.id}`, { body: { active: false } });
  await kit.advance(120);
  for (const { id } of [hook, paused]) await kit.request("DELETE", `/v1/webhooks/${id}`);
  const before = receiver.at("/in").length;
  await kit.advance(2 * 86_400);
  assert.equal(receiver.at("/in").length, before);
  assert.deepEqual(await kit.rows("select * from webhook_jobs"), []);
  const entries = await log(kit, `endpoint_id=${hook.id}`);
  assert.equal(entries.length, before);
});
