import assert from "node:assert/strict";
import { test } from "node:test";
import { webhooks } from "@longwave/sdk";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { until } from "../../../testing/until.ts";
import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { append, appendGroup } from "../log/index.ts";

const openAccount = freshAccounts(LOCAL_TARGETS);

test("an endpoint of one mode gets no event of the other, however the events are written", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const { deps, account } = kit;
  const paths = { "/test": ["test"], "/live": ["live"], "/both": undefined };
  for (const [path, modes] of Object.entries(paths)) {
    await createHook(kit, receiver.url(path), { modes });
  }
  let other: AccountRow;
  do other = await deps.db.tx((tx) => createAccount(deps, tx, "Another"));
  while (other.shard !== account.shard);
  const { shard, id: accountId } = account;
  const events = (way: string) =>
    (["test", "live"] as const).map((mode) => {
      return { type: "test.ping" as const, mode, data: { message: way }, accountId };
    });
  const ofOther = events("other").map((event) => ({ ...event, accountId: other.id }));
  // The three statements that queue deliveries: by change, by a group of one account, and of several.
  await deps.db.tx((tx) => append(deps, tx, { shard, accountId }, events("change")));
  await deps.db.tx(async (tx) => appendGroup(deps, tx, shard, events("group")));
  await deps.db.tx(async (tx) => appendGroup(deps, tx, shard, [...events("several"), ...ofOther]));
  await until(async () => {
    const [{ left }] = await kit.rows("select count(*)::int as left from webhook_jobs");
    return left === 0 && receiver.at("/both").length === 6;
  });
  const got = (path: string) =>
    receiver.at(path).map(({ event }) => `${event.data.message} ${event.mode}`);
  const ways = ["change", "group", "several"];
  for (const mode of ["test", "live"]) {
    assert.deepEqual(new Set(got(`/${mode}`)), new Set(ways.map((way) => `${way} ${mode}`)));
    assert.equal(got(`/${mode}`).length, 3);
  }
});

test("an event arrives byte for byte as GET /events shows it", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  const owner = { shard: kit.account.shard, accountId: kit.account.id };
  // Everything that another serialiser could write differently.
  const data = {
    message: 'quotes " and \\ and / and \u2028 and \u007f and \u0001 and é and 😀 and <&>',
    2: "a numeric name",
    nested: { list: [1, -0.000001, 1e21, true, null, ""], empty: {} },
  };
  await kit.deps.db.tx((tx) =>
    append(kit.deps, tx, owner, [{ type: "test.ping", mode: "test", data }]),
  );
  const [received] = await receiver.got("/in", 1);
  const answer = await fetch(`${kit.url}/v1/events`, {
    headers: { authorization: `Bearer ${kit.testKey}` },
  });
  const text = await answer.text();
  assert.ok(text.startsWith(`{"data":[${received?.text}]`), `${text}\n${received?.text}`);
  assert.deepEqual(received?.event.data, JSON.parse(JSON.stringify(data)));
  assert.equal(received?.headers["content-type"], "application/json");
  assert.match(String(received?.headers["user-agent"]), /^Longwave\//);

  await until(async () => (await log(kit)).length === 1);
  const [entry] = await log(kit);
  const { id, latency_ms, created_at, ...rest } = entry;
  assert.match(id, /^whd_/);
  assert.ok(Number.isInteger(latency_ms) && latency_ms < 5_000);
  assert.ok(Math.abs(Date.parse(created_at) - kit.deps.clock.now()) < 60_000);
  assert.deepEqual(rest, {
    object: "webhook_delivery",
    endpoint_id: hook.id,
    event_id: received?.event.id,
    event_type: "test.ping",
    attempt: 1,
    ok: true,
    status_code: 200,
    error: null,
    explanation: null,
    mode: "test",
    response_body: "said 200",
    replay: false,
  });
  assert.deepEqual(await kit.rows("select * from webhook_jobs"), []);
});

test("third-party libraries and the SDK verify the signatures", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const { secret } = await createHook(kit, receiver.url("/in"));
  await emit(kit);
  const [received] = await receiver.got("/in", 1);
  assert.ok(received);
  const { headers, text, event } = received;
  const header = (name: string) => String(headers[name]);

  const stripe = new Stripe("sk_test_unused");
  const verified = stripe.webhooks.constructEvent(text, header("svc-signature"), secret);
  assert.equal(verified.id, event.id);
  assert.throws(() => stripe.webhooks.constructEvent(`${text} `, header("svc-signature"), secret));

  const standard = new Webhook(secret);
  const named = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, header(name)]));
  const three = named(["webhook-id", "webhook-timestamp", "webhook-signature"]);
  assert.deepEqual(standard.verify(text, three), event);
  assert.throws(() => standard.verify(`${text} `, three));

  const ours = await webhooks.verify(text, received.headers, secret);
  assert.equal(ours.id, event.id);

  for (const pair of ["x-svc", "x-webhook"]) {
    assert.equal(header(`${pair}-signature`), header("svc-signature"));
    assert.equal(header(`${pair}-event-id`), event.id);
  }
  assert.equal(header("svc-event-id"), event.id);
  assert.equal(header("webhook-id"), event.id);
});

test("an endpoint gets its subscribed events, and none from before its creation", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  await emit(kit, 1, "number.purchased");
  await createHook(kit, receiver.url("/all"));
  await createHook(kit, receiver.url("/some"), { events: ["number.released", "number.purchased"] });
  await emit(kit, 2, "number.released");
  await emit(kit, 1, "test.ping");
  await emit(kit, 1, "number.purchased");
  await receiver.got("/all", 4);
  const some = await receiver.got("/some", 3);
  await kit.advance(0);
  const types = (path: string) => receiver.at(path).map((one) => one.event.type);
  assert.equal(types("/all").length, 4);
  assert.equal(some.length, 3);
  assert.ok(!types("/some").includes("test.ping"));
});

test("sending a message emits an event per hop, and the timeline shows the attempts", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const from = "+14155550123";
  await kit.request("POST", "/v1/numbers", { body: { phone_number: from } });
  await createHook(kit, receiver.url("/in"), { events: ["message.sent", "message.delivered"] });
  const body = { to: "+15005550000", from, body: "Hello" };
  const sent = await kit.request("POST", "/v1/messages", { body });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  await kit.advance(1);
  const received = await receiver.got("/in", 2);
  assert.deepEqual(
    new Set(received.map((one) => one.event.type)),
    new Set(["message.sent", "message.delivered"]),
  );
  assert.ok(received.every((one) => one.event.data.message_id === sent.body.id));
  const timeline = await kit.request("GET", `/v1/messages/${sent.body.id}/timeline`);
  const steps = timeline.body.entries.map((entry: { step: string }) => entry.step);
  assert.equal(steps.filter((step: string) => step === "webhook_attempt").length, 2);
  const { description, details } = timeline.body.entries.at(-1);
  assert.match(description, /^Webhook \/in · message\.(sent|delivered) → 200$/);
  assert.equal(details.endpoint_url, receiver.url("/in"));
});
