import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import type { SubmitOutcome } from "../../network/carriers/index.ts";

const LIVE = "+14155550199";
const PERSON = "+14155552671";
const BUSY: SubmitOutcome = { kind: "refused", isTemporary: true, carrierCode: "busy" };

async function liveKit(t: TestContext): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: LIVE, mode: "live", senderState: "active" });
  return { kit, carrier };
}

let references = 0;

function bring(
  carrier: TestCarrier,
  body: string,
  more: { from?: string; reference?: string } = {},
) {
  references += 1;
  const { from = PERSON, reference = `mo-${references}` } = more;
  return carrier.sink().inbound({ carrier: "test-link", reference, from, to: LIVE, body });
}

async function isHandled(kit: Kit): Promise<boolean> {
  return (await kit.rows("select 1 from carrier_inbox where due_at is not null")).length === 0;
}

function send(kit: Kit) {
  const body = { to: PERSON, from: LIVE, body: "Hello" };
  return kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
}

test("STOP from a carrier gets one reply, and nothing else is sent after it", async (t) => {
  const { kit, carrier } = await liveKit(t);
  assert.equal((await send(kit)).status, 201);
  await bring(carrier, "STOP");
  await until(() => carrier.submitted.length === 2);
  await bring(carrier, "STOP");
  await until(() => isHandled(kit));
  assert.equal((await send(kit)).body.error.code, "recipient_opted_out");
  await kit.advance(3_600);
  assert.equal(carrier.submitted.length, 2);
  assert.match(carrier.submitted[1]?.body ?? "", /unsubscribed/);
  const [reply] = await kit.rows("select status, billing from messages where auto_reply");
  assert.deepEqual(reply, { status: "sent", billing: "none" });
  const types = await kit.rows("select type from events where type like 'message.%' order by seq");
  assert.deepEqual(
    types.map((row) => row.type),
    ["message.sent", "message.received", "message.opted_out", "message.sent", "message.received"],
  );
});

test("a waiting reply is not sent late, nor after a newer opt-out", async (t) => {
  const { kit, carrier } = await liveKit(t);
  carrier.answers = [() => BUSY];
  const refused = async (count: number) =>
    (await kit.rows("select 1 from messages where carrier_code = 'busy'")).length === count;
  await bring(carrier, "START");
  await until(() => refused(1));
  await bring(carrier, "STOP");
  await until(() => refused(2));
  const ended = (where: string) =>
    kit.rows(
      `select status, failure_code from messages where auto_reply and body like '%${where}%'`,
    );
  await kit.advance(31);
  assert.deepEqual(await ended("subscribed. Msg"), [
    { status: "failed", failure_code: "recipient_opted_out" },
  ]);
  assert.equal((await ended("unsubscribed"))[0].status, "queued");
  await kit.advance(3_600);
  assert.deepEqual(await ended("unsubscribed"), [{ status: "failed", failure_code: "expired" }]);
  // START once; STOP at once, after 30 s and after 2 min more.
  assert.equal(carrier.submitted.length, 4);
});

test("keywords of one phone take effect in order, whichever process receives them", async (t) => {
  const { kit, carrier } = await liveKit(t);
  const second = await startKitOn(t, kit.connection, {}, { carriers: createTestCarrier() });
  assert.notEqual(second.url, kit.url);
  const phones = Array.from({ length: 12 }, (_, index) => `+14155553${100 + index}`);
  for (const word of ["START", "STOP", "START", "STOP"]) {
    await Promise.all(phones.map((from) => bring(carrier, word, { from })));
  }
  await until(() => isHandled(kit), 30_000);
  const states = await kit.rows("select distinct status from consent_states");
  assert.deepEqual(states, [{ status: "opted_out" }]);
  const [entries] = await kit.rows("select count(*)::int as n from consent_ledger");
  assert.equal(entries.n, 48);
});

test("a message that cannot be stored delays no other message", async (t) => {
  const { kit, carrier } = await liveKit(t);
  await kit.rows(
    `insert into carrier_inbox (shard, id, carrier, kind, dedupe_key, payload, received_at, due_at)
     values (0, $1, 'test-link', 'inbound', 'broken', $2, $3, $4)`,
    [
      kit.deps.ids.make(),
      JSON.stringify({ to: LIVE, from: "+14155550001" }),
      new Date(kit.deps.clock.now()),
      new Date(kit.deps.clock.now()),
    ],
  );
  await bring(carrier, "Hello\u0000\ud800");
  await until(async () => (await kit.rows("select 1 from messages")).length === 1);
  const [message] = await kit.rows("select body from messages");
  assert.equal(message.body, "Hello\ufffd\ufffd");
  const [broken] = await kit.rows(
    "select due_at, handled_at from carrier_inbox where dedupe_key = 'broken'",
  );
  assert.equal(broken.handled_at, null);
  assert.notEqual(broken.due_at, null);
  await kit.advance(73 * 3_600);
  assert.ok(await isHandled(kit));
});
