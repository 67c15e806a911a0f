import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGate } from "./gate.ts";

test("four calls of one address are in hand; the rest waits, and what is refused is held back", async () => {
  const held: string[] = [];
  const gate = createGate({ wait: async (who) => void held.push(who) });
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  const calls = Array.from({ length: 504 }, () => gate.pass("a", work));
  const other = gate.pass("b", work);
  await nextTurn();
  assert.equal(open.length, 5, "another address does not wait");
  assert.deepEqual(held, []);
  await assert.rejects(gate.pass("a", work), { code: "rate_limited" });
  assert.deepEqual(held, ["a"]);
  const failing = gate.pass("b", () => Promise.reject(new Error("fails")));
  await assert.rejects(failing, /fails/);
  while (open.length > 0) {
    for (const release of open.splice(0)) release();
    await nextTurn();
  }
  await Promise.all([...calls, other]);
});
