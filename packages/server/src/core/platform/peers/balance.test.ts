import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { rebalanced } from "./balance.ts";

const IDS = ["a", "b", "c", "d"];

function totalsOf(owners: readonly string[], loads: readonly number[]): number[] {
  return IDS.map((id) =>
    owners.reduce((sum, owner, index) => sum + (owner === id ? (loads[index] ?? 0) : 0), 0),
  );
}

test("busy classes of one member move to idle members", () => {
  const owners = ["a", "a", "a", "b", "b", "c", "c", "d", "d"];
  const loads = [100, 100, 100, 100, 0, 0, 0, 0, 0];
  const after = rebalanced(owners, IDS, loads);
  assert.ok(after);
  assert.deepEqual(totalsOf(after, loads), [100, 100, 100, 100]);
});

test("nothing moves without load, in balance, or for a single busy class", () => {
  const owners = ["a", "b", "c", "d"];
  for (const loads of [
    [0, 0, 0, 0],
    [100, 110, 90, 100],
    [1_000, 0, 0, 0],
  ]) {
    assert.equal(rebalanced(owners, IDS, loads), null);
  }
});

test("no move makes the busiest member busier, and a second look moves nothing back", () => {
  const owner = fc.constantFrom(...IDS);
  const one = fc.tuple(owner, fc.integer({ min: 0, max: 1_000 }));
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 64 }), (classes) => {
      const owners = classes.map(([id]) => id);
      const loads = classes.map(([, load]) => load);
      const after = rebalanced(owners, IDS, loads);
      if (after === null) return;
      const [before, now] = [totalsOf(owners, loads), totalsOf(after, loads)];
      assert.ok(Math.max(...now) <= Math.max(...before));
      assert.equal(rebalanced(after, IDS, loads), null);
    }),
  );
});
