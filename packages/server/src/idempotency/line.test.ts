import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { systemClock } from "../platform/clock.ts";
import type { IdempotencyClaim } from "./claim.ts";
import { standInLine } from "./line.ts";

const claimOf = (key: string, mode = "test"): IdempotencyClaim => ({
  shard: 0,
  accountId: "00000000-0000-0000-0000-000000000001",
  mode,
  keyHash: Buffer.from(key),
  fingerprint: Buffer.alloc(0),
  encrypted: false,
});

/** A process whose timers fire when the test says so. */
function processOfItsOwn() {
  const timers = new Set<() => void>();
  const clock = {
    ...systemClock(),
    after: (_ms: number, call: () => void) => {
      timers.add(call);
      return () => void timers.delete(call);
    },
  };
  const timeIsUp = () => {
    for (const call of timers) call();
  };
  return { deps: { db: {} as Database, clock }, timers, timeIsUp };
}

test("requests with one key go one after the other, those with others past them", async () => {
  const { deps, timers } = processOfItsOwn();
  const order: number[] = [];
  let inHand = 0;
  const one = async (index: number) => {
    const leave = await standInLine(deps, claimOf("a"));
    inHand += 1;
    assert.equal(inHand, 1);
    await nextTurn();
    order.push(index);
    inHand -= 1;
    leave();
  };
  const all = Array.from({ length: 20 }, (_, index) => one(index));
  for (const claim of [claimOf("b"), claimOf("a", "live")]) (await standInLine(deps, claim))();
  (await standInLine({ ...deps, db: {} as Database }, claimOf("a")))();
  assert.deepEqual(order, [], "others did not wait");
  await Promise.all(all);
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, index) => index),
  );
  assert.equal(timers.size, 0);
});

test("who has waited too long goes on beside the first, and hands nothing on", async () => {
  const { deps, timeIsUp } = processOfItsOwn();
  const leaveFirst = await standInLine(deps, claimOf("a"));
  const second = standInLine(deps, claimOf("a"));
  await nextTurn();
  timeIsUp();
  (await second)();
  let isIn = false;
  const third = standInLine(deps, claimOf("a")).then((leave) => {
    isIn = true;
    return leave;
  });
  await nextTurn();
  assert.equal(isIn, false, "the first still works");
  leaveFirst();
  (await third)();
  (await standInLine(deps, claimOf("a")))();
});

test("more than may wait are told that the first is running", async () => {
  const { deps } = processOfItsOwn();
  const leave = await standInLine(deps, claimOf("a"));
  const waiting = Array.from({ length: 1_000 }, async () =>
    (await standInLine(deps, claimOf("a")))(),
  );
  await assert.rejects(standInLine(deps, claimOf("a")), { code: "idempotency_in_progress" });
  leave();
  await Promise.all(waiting);
});
