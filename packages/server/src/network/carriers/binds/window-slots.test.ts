import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { LANES } from "../../../core/queue/lane-names.ts";
import { BindWindowSlots, type Windowed } from "./window-slots.ts";

const WINDOW = 20;

/** A link that is up; the test plays the carrier's answers. */
class FakeBind implements Windowed {
  readonly window = WINDOW;
  readonly lease = { isOurs: true };
  reserved = 0;
  submitting = 0;

  get free(): number {
    return this.window - this.reserved;
  }
}

describe("window slots", () => {
  let nowMs = 0;
  let timers: (() => void)[] = [];
  let woken: string[] = [];
  let places: BindWindowSlots<FakeBind>;

  beforeEach(() => {
    [timers, woken] = [[], []];
    const clock = {
      now: () => nowMs,
      realNow: () => nowMs,
      monotonic: () => nowMs,
      sleep: async () => {},
      after: (_ms: number, call: () => void) => {
        timers.push(call);
        return () => {
          timers = timers.filter((one) => one !== call);
        };
      },
    };
    const link = new FakeBind();
    places = new BindWindowSlots(
      { clock, wakes: { wake: (lane) => void woken.push(lane) } },
      () => [link],
    );
  });

  /** Advances a stopped clock and runs the timers that fall due. */
  const passes = (ms: number) => {
    nowMs += ms;
    for (const call of timers.splice(0)) call();
  };

  /** The carrier answers this many of the messages that hold a slot. */
  const answer = (count: number) => {
    for (let text = 0; text < count; text += 1) {
      const link = places.use();
      assert.ok(link);
      places.free(link);
    }
  };

  it("a batch leaves a tenth of the slots to single messages", () => {
    assert.equal(places.reserve(100, "batch"), WINDOW - 2);
    assert.equal(places.reserve(100, "batch"), 0);
    assert.equal(places.reserve(100, "single"), 2);
    assert.equal(places.freeCount, 0);
  });

  it("waiting callers get free slots in order, before any batch", async () => {
    assert.equal(places.reserve(WINDOW, "single"), WINDOW);
    const served: number[] = [];
    const waits = [1, 2, 3].map(async (n) => {
      if (await places.reserveSoon()) served.push(n);
    });
    answer(2);
    await Promise.all(waits.slice(0, 2));
    assert.deepEqual(served, [1, 2]);
    assert.equal(places.reserve(1, "batch"), 0);
    places.release(1);
    await waits[2];
    assert.deepEqual(served, [1, 2, 3]);
    assert.equal(places.freeCount, 0);
  });

  it("waiting for a slot ends at its deadline and when the link closes", async () => {
    places.reserve(WINDOW, "single");
    const waiting = places.reserveSoon();
    passes(500);
    assert.equal(await waiting, false);
    const closing = places.reserveSoon();
    places.close();
    assert.equal(await closing, false);
    assert.equal(await places.reserveSoon(), false);
  });

  it("a batch waits while answers arrive and few slots are free, and wakes when more are", () => {
    assert.equal(places.isFilling(), false, "all are free");
    places.reserve(WINDOW, "single");
    assert.equal(places.isFilling(), false, "nothing moves: who asks need not wait for more");
    answer(5);
    assert.equal(places.isFilling(), true);
    answer(10);
    assert.deepEqual(woken, [], "a batch has thirteen of eighteen");
    answer(1);
    assert.deepEqual(woken, [LANES.batches]);
    assert.equal(places.isFilling(), false);
  });

  it("single messages that fill the link leave a batch its share", async () => {
    const refill = (count: number) => {
      answer(count);
      return places.reserve(count, "single");
    };
    places.reserve(WINDOW, "single");
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal(refill(5), 5);
      assert.equal(places.reserve(1, "batch"), 0);
      passes(220);
    }
    const waiting = places.reserveSoon();
    assert.equal(refill(5), 0, "one place in four is kept for the batch");
    assert.equal(places.reserve(WINDOW, "batch"), 3, "a tenth stays with single texts");
    assert.equal(refill(1), 1, "who have all the others again");
    answer(1);
    assert.equal(await waiting, true);
    passes(5_000);
    assert.equal(refill(5), 5, "a batch that asks no more has nothing kept for it");
  });

  it("a batch that waits for more slots wakes when no more come", () => {
    places.reserve(WINDOW, "single");
    answer(5);
    assert.equal(places.isFilling(), true);
    passes(110);
    assert.deepEqual(woken, [LANES.batches]);
    assert.equal(places.isFilling(), false);
  });

  it("a batch waits a bounded time for more slots", () => {
    places.reserve(WINDOW, "single");
    for (let waitedMs = 0; waitedMs <= 250; waitedMs += 25) {
      answer(1);
      assert.equal(places.isFilling(), true);
      places.reserve(1, "single");
      passes(25);
    }
    answer(1);
    assert.equal(places.isFilling(), false);
  });
});
