import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
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
import { dayOf } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";

const POOL = "+12065550150";
const PHONE = "+14155552671";
const AFTER_SECONDS = 45;

interface Stage {
  readonly kit: Kit;
  readonly first: MockAggregator;
  readonly second: MockAggregator;
  start(): Promise<void>;
  /** Moves the clock past the time of a second code, and any later one. */
  wait(seconds?: number): Promise<void>;
  /** Messages that each carrier was asked for. */
  counts(): number[];
}

interface StageOptions {
  readonly seconds?: number;
  readonly carriers?: number;
  /** Fraud rules that differ from the default. */
  readonly rules?: object;
}

/** Two carriers for the service's number, and a code that the first one has. */
async function startStage(
  t: TestContext,
  { seconds = AFTER_SECONDS, carriers = 2, rules = {} }: StageOptions = {},
): Promise<Stage> {
  const first = await startAggregator(t);
  const second = await startAggregator(t);
  const entries = [
    aggregatorEntry(first, { name: "first", priority: 10 }),
    aggregatorEntry(second, { name: "next", priority: 20 }),
  ].slice(0, carriers);
  const kit = await startKit(t, {
    LONGWAVE_CARRIERS: await carriersFile(t, entries),
    LONGWAVE_VERIFY_NUMBERS: POOL,
    LONGWAVE_SECOND_CODE_SECONDS: String(seconds),
    LONGWAVE_VERIFY_RULES: JSON.stringify(rules),
  });
  first.server = kit.url;
  second.server = kit.url;
  await goLive(kit, 100);
  return {
    kit,
    first,
    second,
    async start() {
      const body = { phone: PHONE };
      const started = await kit.request("POST", "/v1/verify", { key: kit.liveKey, body });
      assert.equal(started.status, 201, JSON.stringify(started.body));
    },
    async wait(passed = AFTER_SECONDS + 1) {
      await kit.advance(passed);
    },
    counts: () => [first.asked.length, second.asked.length],
  };
}

const codeIn = (text: unknown) => /\d{6}/.exec(String(text))?.[0] ?? "";

function check({ kit, first }: Stage, code = codeIn(first.asked[0]?.body.text)) {
  return kit.request("POST", "/v1/verify/check", {
    key: kit.liveKey,
    body: { phone: PHONE, code },
  });
}

test("a code without a receipt and a check leaves once more, over another carrier", async (t) => {
  const stage = await startStage(t);
  await stage.start();
  await stage.wait(AFTER_SECONDS - 5);
  assert.deepEqual(stage.counts(), [1, 0], "not before its time");
  await stage.wait(10);
  await until(() => stage.second.asked.length === 1);
  const [one, two] = [stage.first.asked[0]?.body, stage.second.asked[0]?.body];
  assert.equal(codeIn(two.text), codeIn(one.text), "the same code");
  assert.notEqual(two.client_ref, one.client_ref);
  const events = "select type from events where type = 'verification.sent'";
  await until(async () => (await stage.kit.rows(events)).length === 2);
  await stage.wait(300);
  assert.deepEqual(stage.counts(), [1, 1], "no third message");
  assert.equal((await check(stage)).body.verified, true);
});

test("a code whose receipt came stays alone", async (t) => {
  const stage = await startStage(t);
  await stage.start();
  const path = "/callbacks/first/receipts";
  assert.equal(await stage.first.call(path, { id: "agg-1", status: "delivered" }), 200);
  await until(
    async () =>
      (await stage.kit.rows("select 1 from messages where status = 'delivered'")).length > 0,
  );
  await stage.wait(120);
  assert.deepEqual(stage.counts(), [1, 0]);
});

test("a code that was checked stays alone, also after a wrong check", async (t) => {
  const stage = await startStage(t);
  await stage.start();
  const wrong = codeIn(stage.first.asked[0]?.body.text) === "000000" ? "111111" : "000000";
  assert.equal((await check(stage, wrong)).body.verified, false);
  await stage.wait(120);
  assert.deepEqual(stage.counts(), [1, 0]);
  assert.equal((await check(stage)).body.verified, true);
});

test("a code that the person asked for again does not leave a third time", async (t) => {
  const stage = await startStage(t);
  await stage.start();
  await stage.wait(31);
  await stage.start();
  assert.deepEqual(stage.counts(), [2, 0]);
  await stage.wait(120);
  assert.deepEqual(stage.counts(), [2, 0]);
});

test("a code whose answer was lost leaves twice in all", async (t) => {
  const stage = await startStage(t);
  const lostOnce: AggregatorBehaviour = (response, asked) =>
    asked.earlier === 0 ? response.socket?.destroy() : taken(response, asked);
  stage.first.behave = lostOnce;
  await stage.start();
  await stage.wait(25);
  const sum = () => stage.counts().reduce((all, count) => all + count, 0);
  await until(() => sum() === 2);
  await stage.wait(300);
  assert.equal(sum(), 2);
});

test("a second code whose answer is lost, or that is refused, is not followed by a third", async (t) => {
  for (const behave of [
    (response) => response.socket?.destroy(),
    (response) => answer(response, 422, { error: { code: "spam" } }),
  ] satisfies AggregatorBehaviour[]) {
    const stage = await startStage(t);
    stage.second.behave = behave;
    await stage.start();
    await stage.wait();
    await until(() => stage.second.asked.length === 1);
    await stage.wait(300);
    assert.deepEqual(stage.counts(), [1, 1]);
    assert.equal((await check(stage)).body.verified, true, "the first code still counts");
  }
});

test("a code stays alone with one carrier, and where the setting is off", async (t) => {
  for (const options of [{ carriers: 1 }, { seconds: 0 }]) {
    const stage = await startStage(t, options);
    await stage.start();
    await stage.wait(120);
    assert.deepEqual(stage.counts(), [1, 0], JSON.stringify(options));
  }
});

test("a second code counts against the phone's hour and the service's loss, and obeys both limits", async (t) => {
  const stage = await startStage(t);
  await stage.start();
  await stage.wait();
  await until(() => stage.second.asked.length === 1);
  const [target] = await stage.kit.rows(
    "select cardinality(sent_at_ms) as sends from verification_targets where phone = $1",
    [PHONE],
  );
  assert.equal(target.sends, 2);
  const [hour] = await stage.kit.rows(
    "select sum(sent)::int as sent from verification_hours where account_id = $1",
    ["00000000-0000-0000-0000-000000000000"],
  );
  assert.equal(hour.sent, 2);
  for (const rules of [{ phone_per_hour_all_accounts: 1 }, { service_unanswered_per_day: 1 }]) {
    const limited = await startStage(t, { rules });
    await limited.start();
    await limited.wait(120);
    assert.deepEqual(limited.counts(), [1, 0], JSON.stringify(rules));
  }
});

test("a second code of the sandbox counts against the day's real messages", async (t) => {
  for (const [used, expected] of [
    [48, [1, 1]],
    [49, [1, 0]],
  ] as const) {
    const stage = await startStage(t);
    const { kit } = stage;
    const path = `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`;
    assert.equal((await kit.operator("POST", path, { phone_number: PHONE })).status, 201);
    await kit.advance(2);
    await kit.rows(
      `insert into daily_sends (shard, account_id, kind, recipient, day, sends)
       values ($1, $2, 'sandbox_message', '', $3, $4)`,
      [kit.account.shard, kit.account.id, dayOf(kit.deps.clock.now()), used],
    );
    const started = await kit.request("POST", "/v1/verify", { body: { phone: PHONE } });
    assert.equal(started.body.simulated, false, JSON.stringify(started.body));
    await stage.wait();
    if (expected[1] === 1) await until(() => stage.second.asked.length === 1);
    await stage.wait(120);
    assert.deepEqual(stage.counts(), expected, `${used} used`);
  }
});
