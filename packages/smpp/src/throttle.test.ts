import assert from "node:assert/strict";
import test from "node:test";
import { FakeClock } from "../testing/fake-clock.ts";
import { Throttle } from "./index.ts";

/** Counts the messages that the throttle lets through within `ms`. */
async function takenIn(throttle: Throttle, clock: FakeClock, ms: number): Promise<number> {
  const endMs = clock.now() + ms;
  let taken = 0;
  for (;;) {
    const waitMs = throttle.waitMs();
    if (clock.now() + waitMs >= endMs) break;
    if (waitMs > 0) await clock.pass(waitMs);
    else {
      throttle.take();
      throttle.accepted();
      taken += 1;
    }
  }
  await clock.pass(endMs - clock.now());
  return taken;
}

test("the throttle keeps the rate, with a small burst", async () => {
  const clock = new FakeClock();
  const throttle = new Throttle({ clock, random: () => 0.5, ratePerSecond: 50 });
  const taken = await takenIn(throttle, clock, 2_000);
  assert.ok(taken >= 98 && taken <= 106, `${taken} in two seconds`);
});

test("throttling pauses everything once, doubles when repeated, and recovers step by step", async () => {
  const clock = new FakeClock();
  const throttle = new Throttle({ clock, random: () => 0.5, ratePerSecond: 40 });
  for (let answer = 0; answer < 10; answer++) throttle.slowDown();
  assert.equal(throttle.waitMs(), 1_000);
  assert.equal(throttle.ratePerSecond, 20);
  await clock.pass(1_000);
  assert.equal(throttle.waitMs(), 0);
  throttle.slowDown();
  assert.equal(throttle.waitMs(), 2_000);
  assert.equal(throttle.ratePerSecond, 10);
  await takenIn(throttle, clock, 12_100);
  assert.equal(throttle.ratePerSecond, 12.5);
  await takenIn(throttle, clock, 120_000);
  assert.equal(throttle.ratePerSecond, 40);
});

test("the pause never exceeds a minute, and without a rate only throttling delays submits", async () => {
  const clock = new FakeClock();
  const throttle = new Throttle({ clock, random: () => 1, ratePerSecond: null });
  assert.equal(throttle.waitMs(), 0);
  for (let i = 0; i < 20; i++) {
    throttle.slowDown();
    assert.ok(throttle.waitMs() < 72_001);
    await clock.pass(throttle.waitMs());
  }
  assert.equal(throttle.waitMs(), 0);
});
