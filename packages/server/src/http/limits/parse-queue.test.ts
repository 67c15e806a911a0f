import assert from "node:assert/strict";
import { test } from "node:test";
import { createParseQueue } from "./parse-queue.ts";

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

test("bodies of a key are parsed one at a time, each followed by a pause; other keys at once", async () => {
  const clock = handClock();
  const parseInTurn = createParseQueue(clock);
  const parsed: string[] = [];
  const parse = (name: string, ms: number) => async () => {
    clock.pass(ms);
    parsed.push(name);
    if (name === "broken") throw new Error("unreadable");
    return name;
  };
  const first = parseInTurn("one", parse("broken", 8));
  const second = parseInTurn("one", parse("second", 4));
  await assert.rejects(first, /unreadable/);
  assert.equal(await parseInTurn("two", parse("other", 0)), "other");
  assert.deepEqual(
    [parsed, clock.sleeps.map(({ ms }) => ms)],
    [
      ["broken", "other"],
      [24, 0],
    ],
  );
  clock.sleeps[0]?.end();
  assert.equal(await second, "second");
  assert.deepEqual(
    clock.sleeps.map(({ ms }) => ms),
    [24, 0, 12],
  );
});
