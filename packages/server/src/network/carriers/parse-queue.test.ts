import assert from "node:assert/strict";
import { test } from "node:test";
import { createParseQueue } from "./parse-queue.ts";

const LARGE = 250 * 1024;

/** A clock whose sleeps end on demand. */
function handClock() {
  let nowMs = 0;
  const sleeps: { readonly ms: number; readonly end: () => void }[] = [];
  return {
    sleeps,
    pass: (ms: number) => {
      nowMs += ms;
    },
    monotonic: () => nowMs,
    sleep: (ms: number) => new Promise<void>((end) => sleeps.push({ ms, end })),
  };
}

test("large bodies are parsed one at a time, each followed by a pause; small ones at once", async () => {
  const clock = handClock();
  const parseInTurn = createParseQueue(clock);
  const parsed: string[] = [];
  const parse = (name: string, ms: number) => async () => {
    clock.pass(ms);
    parsed.push(name);
    if (name === "broken") throw new Error("unreadable");
    return name;
  };
  const first = parseInTurn(LARGE, parse("broken", 8));
  const second = parseInTurn(LARGE, parse("second", 4));
  await assert.rejects(first, /unreadable/);
  assert.equal(await parseInTurn(100, parse("small", 0)), "small");
  assert.deepEqual([parsed, clock.sleeps.map(({ ms }) => ms)], [["broken", "small"], [24]]);
  clock.sleeps[0]?.end();
  assert.equal(await second, "second");
  assert.deepEqual(
    clock.sleeps.map(({ ms }) => ms),
    [24, 12],
  );
});
