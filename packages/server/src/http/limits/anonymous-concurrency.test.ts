import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Exchange } from "./exchange.ts";
import { createGate } from "./gate.ts";

const callOf = (socket: { destroyed: boolean }) =>
  ({ request: { socket } }) as unknown as Pick<Exchange, "request">;
const there = callOf({ destroyed: false });

test("four calls of one address are in hand; the rest waits, and what is refused is held back", async () => {
  const held: string[] = [];
  const gate = createGate({ wait: async (who) => void held.push(who) });
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  const calls = Array.from({ length: 504 }, () => gate.pass("a", there, work));
  const other = gate.pass("b", there, work);
  await nextTurn();
  assert.equal(open.length, 5, "another address does not wait");
  assert.deepEqual(held, []);
  await assert.rejects(gate.pass("a", there, work), { code: "rate_limited" });
  assert.deepEqual(held, ["a"]);
  const failing = gate.pass("b", there, () => Promise.reject(new Error("fails")));
  await assert.rejects(failing, /fails/);
  while (open.length > 0) {
    for (const release of open.splice(0)) release();
    await nextTurn();
  }
  await Promise.all([...calls, other]);
});

test("whoever went away while they waited has nothing done for them, and the next go on", async () => {
  const gate = createGate({ wait: async () => {} });
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  const first = Array.from({ length: 4 }, () => gate.pass("a", there, work));
  const socket = { destroyed: false };
  const left = Array.from({ length: 400 }, () => gate.pass("a", callOf(socket), work));
  const last = gate.pass("a", there, work);
  await nextTurn();
  socket.destroyed = true;
  open.shift()?.();
  for (const call of left) await assert.rejects(call, /broke off/);
  await nextTurn();
  assert.equal(open.length, 4, "the three that were in hand, and the last");
  for (const release of open) release();
  await Promise.all([...first, last]);
});
