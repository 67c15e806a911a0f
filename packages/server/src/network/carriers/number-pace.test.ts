import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { aggregatorEntry, startAggregator, taken } from "../../../testing/mock-aggregator.ts";
import { carriersFile } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";
import { NumberPace, rateOfNumber } from "./number-pace.ts";

const SLOW = "+14155550100";
const OTHER = "+14155550101";

test("each number has a rate of its own, and binds share it", () => {
  const rates = new Map([
    [OTHER, 10],
    ["*", 2],
  ]);
  assert.deepEqual([rateOfNumber(rates, SLOW), rateOfNumber(rates, OTHER)], [2, 10]);
  assert.equal(rateOfNumber(new Map([[OTHER, 10]]), SLOW), null);
  const pace = new NumberPace(rates, 2);
  pace.take(SLOW, 1, 1_000);
  pace.take(OTHER, 3, 1_000);
  assert.deepEqual([pace.waitMs(SLOW, 1_000), pace.waitMs(OTHER, 1_000)], [1_000, 600]);
  assert.equal(pace.waitMs(SLOW, 2_000), 0, "its second is over");
});

test("a number's messages leave at its rate, counted in segments; another number does not wait", async (t) => {
  const aggregator = await startAggregator(t);
  const sent: { readonly from: string; readonly atMs: number }[] = [];
  aggregator.behave = (response, asked) => {
    sent.push({ from: asked.body.from, atMs: performance.now() });
    return taken(response, asked);
  };
  const entry = aggregatorEntry(aggregator, {
    number_rate: { [SLOW]: 2, "*": 1_000 },
    rate_unit: "segments",
  });
  const kit = await startKit(t, { LONGWAVE_CARRIERS: await carriersFile(t, [entry]) });
  await goLive(kit, 100);
  for (const phone of [SLOW, OTHER]) {
    await giveNumber(kit, { phone, mode: "live", senderState: "active" });
  }
  assert.equal(kit.deps.carriers.ratePerSecond(SLOW), 2, "batches are paced by it");
  const send = (from: string, body: string) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: "+14155552671", from, body },
    });
  const long = "x".repeat(400);
  const startMs = performance.now();
  const answers = await Promise.all([
    ...[long, long, "Short"].map((body) => send(SLOW, body)),
    ...["One", "Two", "Three"].map((body) => send(OTHER, body)),
  ]);
  assert.deepEqual(
    answers.filter(({ status }) => status !== 201 && status !== 202),
    [],
  );
  const timesOf = (from: string) => sent.filter((one) => one.from === from).map(({ atMs }) => atMs);
  await until(async () => {
    await kit.advance(1);
    return timesOf(SLOW).length === 3 && timesOf(OTHER).length === 3;
  });
  const [, b, c] = timesOf(SLOW) as [number, number, number];
  // At least one of the first two messages has three segments: 1.5 seconds at two a second. Counted
  // from the start: a late arrival of the first message shortens the time to the next one.
  assert.ok(c - startMs >= 1_990, `all three took ${Math.round(c - startMs)} ms`);
  assert.ok(b - startMs >= 490, `the second one came after ${Math.round(b - startMs)} ms`);
  const others = timesOf(OTHER);
  assert.ok((others[2] ?? c) < c, "the other number did not wait for the slow one");
});
