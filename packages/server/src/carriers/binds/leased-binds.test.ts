import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type Kit, type Lifetime, startKit } from "../../../testing/kit.ts";
import { LANES } from "../../queue/lane-names.ts";
import type { BindLease } from "./lease.ts";
import { LeasedBinds, type OwnedBind } from "./leased-binds.ts";

const WINDOW = 20;

/** A link that is up and has places; its answers are the test's. */
class FakeBind implements OwnedBind {
  readonly window = WINDOW;
  held = 0;
  begun = 0;
  readonly lease: BindLease;

  constructor(lease: BindLease) {
    this.lease = lease;
  }

  get free(): number {
    return this.window - this.held;
  }

  state() {
    return { state: "up" as const, inFlight: this.begun, lastError: null };
  }

  stop(): Promise<void> {
    return this.lease.release();
  }
}

describe("places of leased binds", () => {
  let kit: Kit;
  let nowMs = 0;
  let timers: (() => void)[] = [];
  let woken: string[] = [];
  let binds: LeasedBinds<FakeBind>;
  let carriers = 0;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };

  before(async () => {
    kit = await startKit(lifetime, { LONGWAVE_ROLES: "api" });
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  /** Time stands until the test moves it. */
  const passes = (ms: number) => {
    nowMs += ms;
    for (const call of timers.splice(0)) call();
  };

  beforeEach(async () => {
    [timers, woken] = [[], []];
    carriers += 1;
    const clock = {
      ...kit.deps.clock,
      monotonic: () => nowMs,
      after: (_ms: number, call: () => void) => {
        timers.push(call);
        return () => {
          timers = timers.filter((one) => one !== call);
        };
      },
    };
    const wakes = { ...kit.deps.wakes, wake: (lane: string) => void woken.push(lane) };
    binds = new LeasedBinds(
      { ...kit.deps, clock, wakes },
      {
        carrier: `carrier-${carriers}`,
        binds: 1,
        ratePerSecond: null,
        mayOwn: true,
        owner: "this test",
        open: (lease) => new FakeBind(lease),
        prepare: async () => {},
        refresh: async () => {},
      },
    );
    await binds.start();
  });

  afterEach(async () => {
    // A stop waits for what holds a place, and time stands.
    binds.release(WINDOW);
    await binds.stop();
  });

  /** The carrier answers so many of those that hold a place. */
  const answer = (count: number) => {
    for (let text = 0; text < count; text += 1) {
      const bind = binds.usePlace();
      assert.ok(bind);
      binds.freePlace(bind);
    }
  };

  it("a batch leaves a tenth of the places to texts that somebody waits for", () => {
    assert.equal(binds.reserve(100, "batch"), WINDOW - 2);
    assert.equal(binds.reserve(100, "batch"), 0);
    assert.equal(binds.reserve(100, "somebody"), 2);
    assert.equal(binds.state().windowFree, 0);
  });

  it("who waits for a place has it as soon as it is free, in turn, and before any batch", async () => {
    assert.equal(binds.reserve(WINDOW, "somebody"), WINDOW);
    const served: number[] = [];
    const waits = [1, 2, 3].map(async (n) => {
      if (await binds.reserveSoon()) served.push(n);
    });
    answer(2);
    await Promise.all(waits.slice(0, 2));
    assert.deepEqual(served, [1, 2]);
    assert.equal(binds.reserve(1, "batch"), 0);
    binds.release(1);
    await waits[2];
    assert.deepEqual(served, [1, 2, 3]);
    assert.equal(binds.state().windowFree, 0);
  });

  it("a place is not waited for without end, nor of a link that is being closed", async () => {
    binds.reserve(WINDOW, "somebody");
    const waiting = binds.reserveSoon();
    passes(500);
    assert.equal(await waiting, false);
    const closing = binds.reserveSoon();
    void binds.stop();
    assert.equal(await closing, false);
    assert.equal(await binds.reserveSoon(), false);
  });

  it("a batch waits while answers come in and few places are free, and is woken when there are more", () => {
    assert.equal(binds.isFilling(), false, "all are free");
    binds.reserve(WINDOW, "somebody");
    assert.equal(binds.isFilling(), false, "nothing moves: who asks need not wait for more");
    answer(5);
    assert.equal(binds.isFilling(), true);
    answer(5);
    assert.deepEqual(woken, [], "a batch has eight of eighteen");
    answer(1);
    assert.deepEqual(woken, [LANES.batches]);
    assert.equal(binds.isFilling(), false);
  });

  it("a batch that waits for more places is woken when no more come", () => {
    binds.reserve(WINDOW, "somebody");
    answer(5);
    assert.equal(binds.isFilling(), true);
    passes(60);
    assert.deepEqual(woken, [LANES.batches]);
    assert.equal(binds.isFilling(), false);
  });
});
