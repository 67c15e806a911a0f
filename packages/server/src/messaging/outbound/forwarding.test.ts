import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { describedError } from "../../core/db/driver/forwarded-errors.ts";
import { NotSent } from "../../core/platform/peers/index.ts";

type Receive = Kit["deps"]["receiveForwarded"];

interface Pair {
  /** Owns every account. */
  readonly owner: Kit;
  /** Takes the requests, and owns nothing. */
  readonly front: Kit;
  /** Kinds of the items that the owner received. */
  readonly received: string[];
  send(body: string, headers?: Record<string, string>): ReturnType<Kit["request"]>;
}

/** Two processes on one database. `receive` wraps the owner's handling of an item. */
async function startPair(
  t: TestContext,
  wrap: (receive: Receive, owner: Kit) => Receive = (receive) => receive,
): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), "lw-forwarding-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const owner = await startKit(t, {}, { lanes: [], carriers: createTestCarrier() });
  const options = { lanes: [], carriers: createTestCarrier() };
  const front = await startKitOn(t, owner.connection, { LONGWAVE_ROLES: "api" }, options);
  const received: string[] = [];
  const path = join(folder, "owner.sock");
  const receive = wrap(owner.deps.receiveForwarded, owner);
  await owner.deps.peers.serve({
    path,
    describeError: describedError,
    handle(kind, item, isGone) {
      received.push(kind);
      return receive(kind, item, isGone);
    },
  });
  front.deps.peers.announce([{ id: "owner", path }], null);
  await until(() => front.deps.peers.ownerOf(0)?.isReady() === true);
  const send = (body: string, headers = {}) =>
    front.request("POST", "/v1/messages", {
      headers,
      body: { from: "+15005550100", to: "+14155552671", body },
    });
  await giveNumber(front, { phone: "+15005550100" });
  return { owner, front, received, send };
}

/** Ends the owner's connections without waiting for the items in hand. */
function loseOwner({ owner }: Pair): Promise<void> {
  Object.assign(owner.deps.clock, { sleep: async () => {} });
  return owner.deps.peers.close();
}

async function assertStoredOnce({ front }: Pair, bodies: readonly string[]): Promise<void> {
  const rows = await front.rows("select body from messages");
  assert.equal(rows.length, bodies.length);
  assert.deepEqual(new Set(rows.map((row) => row.body)), new Set(bodies));
  const events = await front.rows(
    "select data->>'message_id' as id from events where type = 'message.sent'",
  );
  assert.equal(events.length, bodies.length);
  await assertMessagesWhole(front.rows);
}

test("a message of another process's account is written there, and answered here", async (t) => {
  const pair = await startPair(t);
  const sent = await pair.send("Hello");
  assert.equal(sent.status, 201);
  assert.deepEqual(pair.received, ["messages"]);
  const read = await pair.front.request("GET", `/v1/messages/${sent.body.id}`);
  assert.deepEqual(read.body, sent.body);
  await assertStoredOnce(pair, ["Hello"]);
});

test("refusals and repeated keys are the same as without another process", async (t) => {
  const pair = await startPair(t);
  const { shard, id } = pair.front.account;
  await pair.front.rows(
    `insert into consent_states (shard, account_id, mode, phone_number, status, seq, first_seq, source, updated_at)
     values ($1, $2, 'test', '+14155552671', 'opted_out', 1, 1, 'api', now())`,
    [shard, id],
  );
  const refused = await pair.send("Refused");
  assert.equal(refused.body.error.code, "recipient_opted_out");
  await pair.front.rows("delete from consent_states");

  const key = { "idempotency-key": "once" };
  const [first, second] = [await pair.send("Once", key), await pair.send("Once", key)];
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.deepEqual(first.body, second.body);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  await assertStoredOnce(pair, ["Once"]);
});

test("a live message is submitted by the process that took it, and settled by the owner", async (t) => {
  const pair = await startPair(t);
  const { front, received } = pair;
  await goLive(front);
  const from = await giveNumber(front, {
    phone: "+14155550100",
    mode: "live",
    senderState: "active",
  });
  const body = { from, to: "+14155552671", body: "Live" };
  const headers = { "idempotency-key": "live" };
  const options = { key: front.liveKey, body, headers };
  const sent = await front.request("POST", "/v1/messages", options);
  assert.equal(sent.status, 201);
  assert.equal(sent.body.status, "sent");
  assert.deepEqual(received, ["messages", "settlements"]);
  const again = await front.request("POST", "/v1/messages", options);
  assert.deepEqual(again.body, sent.body);
  await assertMoneyAddsUp(front.rows);
  await assertMessagesWhole(front.rows);
});

test("a message that did not leave for its owner is written here", async (t) => {
  const pair = await startPair(t);
  const link = pair.front.deps.peers.ownerOf(0);
  assert.ok(link);
  Object.assign(link, { ask: () => Promise.reject(new NotSent()) });
  assert.equal((await pair.send("Unsent")).status, 201);
  assert.deepEqual(pair.received, []);
  await assertStoredOnce(pair, ["Unsent"]);
});

test("an owner lost before it writes: the message is written here", async (t) => {
  const pair = await startPair(t, () => () => new Promise(() => {}));
  const sending = pair.send("Unwritten");
  await until(() => pair.received.length === 1);
  void loseOwner(pair);
  assert.equal((await sending).status, 201);
  await assertStoredOnce(pair, ["Unwritten"]);
});

test("an owner lost after its commit, before its answer: the message is not written again", async (t) => {
  let isCommitted = false;
  const pair = await startPair(t, (receive) => async (kind, item, isGone) => {
    await receive(kind, item, isGone);
    isCommitted = true;
    return new Promise(() => {});
  });
  const sending = pair.send("Committed");
  await until(() => isCommitted);
  void loseOwner(pair);
  assert.equal((await sending).status, 201);
  await assertStoredOnce(pair, ["Committed"]);
});

test("an owner that was given up writes nothing, and changes nothing if it had begun", async (t) => {
  let writeLate = async (_hasBegun: boolean): Promise<unknown> => null;
  const pair = await startPair(t, (receive) => (kind, item, isGone) => {
    writeLate = (hasBegun) => receive(kind, item, hasBegun ? () => false : isGone);
    return new Promise(() => {});
  });
  const sending = pair.send("Late");
  await until(() => pair.received.length === 1);
  void loseOwner(pair);
  assert.equal((await sending).status, 201);
  await writeLate(false);
  await assert.rejects(writeLate(true), /duplicate key/);
  await assertStoredOnce(pair, ["Late"]);
});

test("an owner whose database or queue refuses is as if this process's had", async (t) => {
  const errors = [
    Object.assign(new Error("the database system is shutting down"), { code: "57P03" }),
    Object.assign(new Error("full"), { code: "53100" }),
  ];
  const pair = await startPair(t, () => async () => {
    throw errors.shift();
  });
  for (let count = errors.length; count > 0; count -= 1) {
    const answer = await pair.send("Refused");
    assert.equal(answer.status, 503);
    assert.ok(answer.headers.get("retry-after"));
  }
  await assertStoredOnce(pair, []);
});

test("owners that change under load lose and double nothing", async (t) => {
  const pair = await startPair(t);
  const { front, owner } = pair;
  const path = "/nowhere/owner.sock";
  const bodies = Array.from({ length: 200 }, (_, index) => `Message ${index}`);
  const statuses: number[] = [];
  const sending = bodies.map(async (body, index) => {
    await new Promise((resolve) => setTimeout(resolve, index));
    statuses.push((await pair.send(body)).status);
  });
  for (const members of [[], [{ id: "x", path }], []]) {
    const target = statuses.length + 40;
    await until(() => statuses.length >= target);
    front.deps.peers.announce(members, null);
  }
  void owner.deps.peers.close();
  await Promise.all(sending);
  assert.deepEqual(new Set(statuses), new Set([201]));
  assert.ok(pair.received.length > 0 && pair.received.length < bodies.length);
  await assertStoredOnce(pair, bodies);
});
