import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "@longwave/sdk";
import { foldTotal, foldWords, withEvents } from "./fold.ts";
import { createPace } from "./poll.ts";

function events(count: number, second: number, type = "message.sent"): Event[] {
  const created_at = `2026-11-16T12:00:0${second}.500Z`;
  return Array.from(
    { length: count },
    (_, index) => ({ id: `evt_${second}_${type}_${index}`, type, created_at }) as unknown as Event,
  );
}

test("up to fifty events of a second are lines, newest first; more become one line of counts", () => {
  const few = withEvents([], events(50, 1));
  assert.equal(few.length, 50);
  assert.equal(few[0]?.kind === "event" && few[0].event.id, "evt_1_message.sent_49");
  const many = withEvents(few, [...events(10, 1, "message.delivered"), ...events(1, 2)]);
  assert.deepEqual(
    many.map((entry) => entry.kind),
    ["event", "fold"],
  );
  // A late event counts in its own second.
  const [, fold] = withEvents(many, events(3, 1));
  assert.ok(fold?.kind === "fold");
  assert.equal(foldTotal(fold.counts), 63);
  assert.equal(foldWords(fold.counts), "message.sent 53, message.delivered 10");
});

test("the tail is bounded", () => {
  let entries = withEvents([], []);
  for (let second = 0; second < 9; second += 1) entries = withEvents(entries, events(40, second));
  assert.equal(entries.length, 200);
  const [newest] = entries;
  assert.equal(newest?.kind === "event" && newest.event.created_at.slice(17, 19), "08");
});

test("polling: one event is fetched at once, many at a pace, and a flood skips to the present", () => {
  const pace = createPace();
  assert.equal(pace.untilNextMs(0), 0);
  assert.equal(pace.exceedsLimit(0, 100), false);
  assert.equal(pace.untilNextMs(50), 150);
  assert.equal(pace.untilNextMs(500), 0);
  assert.equal(pace.exceedsLimit(300, 100), false);
  assert.equal(pace.exceedsLimit(600, 1), true);
  assert.equal(pace.exceedsLimit(2_000, 100), false);
  // An answer without events does not change the rate.
  assert.equal(pace.exceedsLimit(2_001, 0), false);
});
