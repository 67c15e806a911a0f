import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import {
  createHook,
  emit,
  hang,
  LOCAL_TARGETS,
  log,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { maintainPartitions } from "../../core/db/schema/partitions.ts";

const openAccount = freshAccounts(LOCAL_TARGETS);

const newestEvent = async (kit: Kit) =>
  (await kit.request("GET", "/v1/events?limit=1")).body.data[0];
const replay = (kit: Kit, eventId: string, endpoint_id: string, headers = {}) =>
  kit.request("POST", `/v1/events/${eventId}/replay`, { body: { endpoint_id }, headers });
const undelivered = async (kit: Kit) =>
  (await kit.request("GET", "/v1/webhooks/undelivered")).body.data;

test("a replay is one request, also to a paused or unsubscribed endpoint", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  await emit(kit);
  const event = await newestEvent(kit);
  const hook = await createHook(kit, receiver.url("/in"), { events: ["message.sent"] });
  await kit.request("PATCH", `/v1/webhooks/${hook.id}`, { body: { active: false } });

  const answer = await replay(kit, event.id, hook.id);
  assert.equal(answer.status, 200);
  const { body } = answer;
  assert.equal(body.object, "webhook_delivery");
  assert.deepEqual(
    [body.ok, body.status_code, body.replay, body.attempt, body.event_id, body.endpoint_id],
    [true, 200, true, 1, event.id, hook.id],
  );
  assert.deepEqual(await log(kit, `event_id=${event.id}`), [body]);
  assert.deepEqual(receiver.at("/in")[0]?.event, event);

  receiver.behave("/in", 500);
  const failed = await replay(kit, event.id, hook.id);
  assert.equal(failed.status, 200);
  assert.deepEqual([failed.body.ok, failed.body.status_code], [false, 500]);
  receiver.behave("/in", hang);
  const hung = await replay(kit, event.id, hook.id);
  assert.equal(hung.status, 200);
  assert.deepEqual(
    [hung.body.ok, hung.body.status_code, hung.body.error],
    [false, null, "timeout"],
  );
  assert.ok(hung.body.latency_ms >= 4_900 && hung.body.latency_ms < 6_500);
  // Not retried.
  await kit.advance(86_400);
  assert.equal(receiver.at("/in").length, 3);
  assert.deepEqual(await undelivered(kit), []);
});

test("a successful replay cancels retries and removes the event from undelivered", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  receiver.behave("/in", 500);
  await emit(kit);
  const first = await newestEvent(kit);
  await kit.advance(60_000);
  assert.equal((await undelivered(kit)).length, 1);
  await emit(kit);
  const second = await newestEvent(kit);
  await until(async () => (await log(kit, `event_id=${second.id}`)).length === 1);
  await replay(kit, first.id, hook.id);
  await replay(kit, second.id, hook.id);
  assert.equal((await undelivered(kit)).length, 1);
  receiver.behave("/in", 200);
  await replay(kit, first.id, hook.id);
  await replay(kit, second.id, hook.id);
  assert.deepEqual(await undelivered(kit), []);
  const before = receiver.at("/in").length;
  await kit.advance(86_400);
  assert.equal(receiver.at("/in").length, before);
});

test("an undelivered event can be replayed as long as it is listed", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  receiver.behave("/in", 500);
  await emit(kit);
  const event = await newestEvent(kit);
  await kit.advance(60_000);
  const [listed] = await undelivered(kit);
  const lastAttempt = Date.parse(listed.last_attempt_at);
  const THIRTY_DAYS_MS = 30 * 86_400_000;
  // The event itself is past its 30 days by then, and listed nowhere else.
  const toGo = lastAttempt + THIRTY_DAYS_MS - kit.deps.clock.now();
  await kit.advance(Math.floor(toGo / 1_000) - 600);
  assert.ok(kit.deps.clock.now() - Date.parse(event.created_at) > THIRTY_DAYS_MS);
  await kit.deps.asOwner((db) => maintainPartitions({ ...kit.deps, db }));
  assert.equal((await undelivered(kit)).length, 1);
  assert.equal((await kit.request("GET", `/v1/events?type=${event.type}`)).body.data.length, 0);
  const failed = await replay(kit, event.id, hook.id);
  assert.deepEqual([failed.status, failed.body.ok], [200, false]);
  assert.equal((await undelivered(kit))[0]?.last_attempt_at, listed.last_attempt_at);
  const listedStill = await kit.request("POST", `/v1/webhooks/${hook.id}/replay_failed`);
  assert.deepEqual([listedStill.body.replayed, listedStill.body.failed], [1, 1]);
  await kit.advance(660);
  assert.deepEqual(await undelivered(kit), []);
  assert.equal((await replay(kit, event.id, hook.id)).status, 404);
  const sends = receiver.at("/in").length;
  const all = await kit.request("POST", `/v1/webhooks/${hook.id}/replay_failed`);
  assert.deepEqual([all.status, all.body.replayed, all.body.has_more], [200, 0, false]);
  assert.equal(receiver.at("/in").length, sends);
});

test("a replay needs an existing event and endpoint", async (t) => {
  const kit = await openAccount(t);
  await emit(kit);
  const event = await newestEvent(kit);
  const unknownHook = "we_01jd0000000000000000000000";
  const noHook = await replay(kit, event.id, unknownHook);
  assert.equal(noHook.status, 400);
  assert.equal(noHook.body.error.param, "endpoint_id");
  const hook = await createHook(kit, "https://hooks.example.com/");
  const noEvent = await replay(kit, "evt_01jd0000000000000000000000", hook.id);
  assert.equal(noEvent.status, 404);
  const missing = await kit.request("POST", `/v1/events/${event.id}/replay`, { body: {} });
  assert.equal(missing.body.error.param, "endpoint_id");
});

test("one Idempotency-Key, one request to the endpoint", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  await emit(kit);
  const event = await newestEvent(kit);
  const hook = await createHook(kit, receiver.url("/in"));
  const answers: (() => void)[] = [];
  receiver.behave("/in", (response) => answers.push(() => response.end("done")));
  const headers = { "idempotency-key": "once" };
  const first = replay(kit, event.id, hook.id, headers);
  await receiver.got("/in", 1);
  const second = await replay(kit, event.id, hook.id, headers);
  assert.equal(second.body.error.code, "idempotency_in_progress");
  for (const answer of answers) answer();
  const done = await first;
  assert.equal(done.status, 200);
  const again = await replay(kit, event.id, hook.id, headers);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.body, done.body);
  assert.equal(receiver.at("/in").length, 1);
});

test("an account gets ten replays and tests a minute, over all processes", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const second = await startKitOn(t, kit.connection, LOCAL_TARGETS);
  // One token refills every six seconds: on a slow machine even during the first ten.
  for (const each of [kit, second]) each.stopClock();
  const receiver = await startHookReceiver(t);
  await emit(kit);
  const event = await newestEvent(kit);
  const hook = await createHook(kit, receiver.url("/in"));
  const elsewhere = { method: "POST", headers: { authorization: `Bearer ${kit.testKey}` } };
  const asks = [
    () => kit.request("POST", `/v1/webhooks/${hook.id}/test`),
    () => kit.request("POST", `/v1/webhooks/${hook.id}/replay_failed`),
    () => replay(kit, event.id, hook.id),
    () => fetch(`${second.url}/v1/webhooks/${hook.id}/test`, elsewhere),
  ];
  const rounds = Array.from({ length: 5 }, () => asks.map((ask) => ask()));
  const statuses = (await Promise.all(rounds.flat())).map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [...Array(10).fill(200), ...Array(10).fill(429)]);
  const refused = await replay(kit, event.id, hook.id);
  assert.equal(refused.body.error.code, "rate_limited");
  assert.equal(refused.headers.get("retry-after"), "6");
  // Two more after twelve seconds; a replayed answer costs none.
  await kit.advance(13);
  const once = { "idempotency-key": "counted once" };
  for (const _ of [1, 2, 3]) assert.equal((await replay(kit, event.id, hook.id, once)).status, 200);
  assert.equal((await replay(kit, event.id, hook.id)).status, 200);
  assert.equal((await replay(kit, event.id, hook.id)).status, 429);
});

test("a test ping goes to one endpoint, paused or not, and to no other", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  await createHook(kit, receiver.url("/other"));
  await kit.request("PATCH", `/v1/webhooks/${hook.id}`, { body: { active: false } });
  const answer = await kit.request("POST", `/v1/webhooks/${hook.id}/test`);
  assert.equal(answer.status, 200);
  assert.deepEqual(
    [answer.body.event_type, answer.body.ok, answer.body.replay, answer.body.attempt],
    ["test.ping", true, false, 1],
  );
  await kit.advance(1);
  assert.equal(receiver.at("/other").length, 0);
  const [received] = receiver.at("/in");
  assert.deepEqual(received?.event, await newestEvent(kit));
  assert.deepEqual(await log(kit), [answer.body]);
});

test("replay-all sends each failed event once more, at most 50 of them", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  const other = await createHook(kit, receiver.url("/other"));
  const run = async (id: string, body?: object) =>
    (await kit.request("POST", `/v1/webhooks/${id}/replay_failed`, body ? { body } : {})).body;
  receiver.behave("/in", 500);
  await emit(kit, 1);
  await kit.advance(3 * 86_400);
  await emit(kit, 60);
  await kit.advance(400);
  assert.deepEqual((await run(other.id)).replayed, 0);
  const attemptsBefore = receiver.at("/in").length;
  const failing = await run(hook.id);
  assert.deepEqual(failing, {
    object: "webhook_replay_run",
    endpoint_id: hook.id,
    replayed: 50,
    delivered: 0,
    failed: 50,
    has_more: true,
  });
  assert.equal(receiver.at("/in").length, attemptsBefore + 50);
  receiver.behave("/in", 200);
  assert.deepEqual((await run(hook.id)).delivered, 50);
  const rest = await run(hook.id);
  assert.deepEqual([rest.replayed, rest.delivered, rest.has_more], [10, 10, false]);
  assert.equal((await run(hook.id)).replayed, 0);
  // The event of three days ago, outside a one-day window.
  assert.equal((await run(hook.id, { hours: 168 })).delivered, 1);
  const ids = receiver
    .at("/in")
    .slice(attemptsBefore)
    .map((one) => one.event.id);
  assert.equal(new Set(ids).size, 61);
  const replays = await kit.rows("select count(*) as count from webhook_deliveries where replay");
  assert.equal(replays[0].count, 50 + 50 + 10 + 1);
  await kit.advance(86_400);
  assert.equal(receiver.at("/in").length, attemptsBefore + 111);
  for (const hours of [23, 169, 1.5]) {
    const refused = await kit.request("POST", `/v1/webhooks/${hook.id}/replay_failed`, {
      body: { hours },
    });
    assert.equal(refused.body.error.param, "hours");
  }
});
