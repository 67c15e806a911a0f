import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import {
  type AggregatorBehaviour,
  aggregatorEntry,
  answer,
  type MockAggregator,
  startAggregator,
  taken,
} from "../../../testing/mock-aggregator.ts";
import { carriersFile } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const TO = "+14155552671";

/** Two carriers for one number, first and next in priority. */
async function startStage(t: TestContext, behave: AggregatorBehaviour, next?: AggregatorBehaviour) {
  const first = await startAggregator(t);
  const second = await startAggregator(t);
  first.behave = behave;
  second.behave = next ?? taken;
  const file = await carriersFile(t, [
    aggregatorEntry(first, { name: "first", priority: 10 }),
    aggregatorEntry(second, { name: "next", priority: 20 }),
  ]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const send = () =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: TO, from: FROM, body: "Hello" },
    });
  const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;
  return { kit, first, second, send, read };
}

const busy: AggregatorBehaviour = (response) => answer(response, 503, { error: { code: "busy" } });

test("a message that a carrier refuses for now goes to the next one in priority", async (t) => {
  const { kit, first, second, send, read } = await startStage(t, busy);
  const sent = await send();
  assert.deepEqual([sent.status, sent.body.carrier], [202, "first"]);
  await kit.advance(31);
  const message = await read(sent.body.id);
  assert.deepEqual([message.status, message.carrier], ["sent", "next"]);
  assert.deepEqual([first.asked.length, second.asked.length], [1, 1]);
  first.behave = taken;
  assert.equal((await send()).body.carrier, "first", "other messages keep their carrier");
});

test("a message that both carriers refuse for now returns to the first", async (t) => {
  const { kit, first, second, send, read } = await startStage(t, busy, busy);
  const { body } = await send();
  await kit.advance(31);
  first.behave = taken;
  await kit.advance(121);
  assert.equal((await read(body.id)).carrier, "first");
  assert.deepEqual([first.asked.length, second.asked.length], [2, 1]);
});

test("a carrier that throttles passes its messages to the next one, until its pause is over", async (t) => {
  const throttles: AggregatorBehaviour = (response) => {
    response.setHeader("retry-after", "30");
    answer(response, 429, { error: { code: "slow" } });
  };
  const { kit, first, second, send, read } = await startStage(t, throttles);
  const { body } = await send();
  await kit.advance(10);
  await until(async () => (await read(body.id)).status === "sent");
  assert.equal((await read(body.id)).carrier, "next");
  assert.equal((await send()).body.carrier, "next", "other messages follow at once");
  assert.deepEqual([first.asked.length, second.asked.length], [1, 2]);
});

test("a carrier that throttles keeps its messages while the next one throttles, too", async (t) => {
  let refusals = 0;
  const once: AggregatorBehaviour = (response, asked) => {
    refusals += 1;
    if (refusals > 1) return taken(response, asked);
    response.setHeader("retry-after", "1");
    return answer(response, 429, { error: { code: "slow" } });
  };
  const always: AggregatorBehaviour = (response) => {
    response.setHeader("retry-after", "60");
    answer(response, 429, { error: { code: "slow" } });
  };
  const { kit, send, read } = await startStage(t, once, always);
  const { body } = await send();
  await kit.advance(10);
  await until(async () => (await read(body.id)).status === "sent");
  assert.equal((await read(body.id)).carrier, "first");
});

test("a dead link passes its messages to the next carrier", async (t) => {
  const { kit, first, second, send, read } = await startStage(t, taken);
  await first.stop();
  const { body } = await send();
  await kit.advance(30);
  await until(async () => (await read(body.id)).status === "sent");
  assert.equal((await read(body.id)).carrier, "next");
  assert.deepEqual([first.asked.length, second.asked.length], [0, 1]);
});

test("a message that may have arrived goes to no other carrier", async (t) => {
  const lost: AggregatorBehaviour = (response) => response.socket?.destroy();
  const { kit, first, second, send, read } = await startStage(t, lost);
  const { body } = await send();
  await kit.advance(16 * 60);
  assert.equal((await read(body.id)).failure.code, "outcome_unknown");
  assert.deepEqual([first.asked.length, second.asked.length], [1, 0]);
});

test("failover stays among the carriers of the destination", async (t) => {
  const names = ["uk-first", "uk-next", "home"] as const;
  const mocks = await Promise.all(names.map(() => startAggregator(t)));
  const [first, next, home] = mocks as [MockAggregator, MockAggregator, MockAggregator];
  first.behave = busy;
  next.behave = busy;
  home.behave = taken;
  const file = await carriersFile(t, [
    aggregatorEntry(home, { name: "home", priority: 1 }),
    aggregatorEntry(first, { name: "uk-first", priority: 10, destinations: ["+44"] }),
    aggregatorEntry(next, { name: "uk-next", priority: 20, destinations: ["+44"] }),
  ]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file, LONGWAVE_COUNTRIES: "US,CA,GB" });
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const { body, status } = await kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { to: "+447400123456", from: FROM, body: "Hello" },
  });
  assert.deepEqual([status, body.carrier], [202, "uk-first"], JSON.stringify(body));
  await kit.advance(31);
  assert.deepEqual(
    [first, next, home].map(({ asked }) => asked.length),
    [1, 1, 0],
  );
  first.behave = taken;
  await kit.advance(121);
  const { body: sent } = await kit.request("GET", `/v1/messages/${body.id}`);
  assert.deepEqual([sent.status, sent.carrier], ["sent", "uk-first"], JSON.stringify(sent));
  assert.deepEqual(
    [first, next, home].map(({ asked }) => asked.length),
    [2, 1, 0],
  );
});

test("a pool gives new recipients a member whose carrier takes messages", async (t) => {
  const [first, second] = [await startAggregator(t), await startAggregator(t)];
  const OTHER = "+12125550100";
  const file = await carriersFile(t, [
    aggregatorEntry(first, { name: "first", numbers: [FROM] }),
    aggregatorEntry(second, { name: "second", numbers: [OTHER] }),
  ]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  await goLive(kit, 100);
  for (const phone of [FROM, OTHER]) {
    await giveNumber(kit, { phone, mode: "live", senderState: "active" });
  }
  const key = kit.liveKey;
  const numbers = [FROM, OTHER];
  const pool = await kit.request("POST", "/v1/pools", { key, body: { name: "Both", numbers } });
  const send = async (to: string) => {
    const body = { to, from: pool.body.id, body: "Hello" };
    return (await kit.request("POST", "/v1/messages", { key, body })).body;
  };
  const stateOf = () => kit.deps.carriers.all()[0]?.state();

  await until(() => kit.deps.carriers.all().every((one) => one.state().state === "up"));
  assert.equal((await send(TO)).from, FROM, "the area code of the recipient");
  await first.stop();
  const waiting = send("+14155552672");
  await until(() => stateOf()?.state === "down");
  const passed = await send("+14155552673");
  assert.deepEqual([passed.from, passed.carrier, passed.status], [OTHER, "second", "sent"]);
  await first.restart();
  await until(() => stateOf()?.state === "up");
  assert.equal((await waiting).from, FROM);
  assert.equal((await send("+14155552673")).from, OTHER, "a recipient keeps its number");
  assert.equal((await send("+14155552674")).from, FROM);
});
