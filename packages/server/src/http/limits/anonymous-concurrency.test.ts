import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Exchange } from "../exchange/exchange.ts";
import { createAnonymousConcurrency } from "./anonymous-concurrency.ts";

const callOf = (socket: { destroyed: boolean }) =>
  ({ request: { socket } }) as unknown as Pick<Exchange, "request">;
const there = callOf({ destroyed: false });

test("four calls of one address run; the rest waits, and refusals are throttled", async () => {
  const throttled: string[] = [];
  const concurrency = createAnonymousConcurrency({ wait: async (key) => void throttled.push(key) });
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  const calls = Array.from({ length: 504 }, () => concurrency.run("a", there, work));
  const other = concurrency.run("b", there, work);
  await nextTurn();
  assert.equal(open.length, 5, "another address does not wait");
  assert.deepEqual(throttled, []);
  await assert.rejects(concurrency.run("a", there, work), { code: "rate_limited" });
  assert.deepEqual(throttled, ["a"]);
  const failing = concurrency.run("b", there, () => Promise.reject(new Error("fails")));
  await assert.rejects(failing, /fails/);
  while (open.length > 0) {
    for (const release of open.splice(0)) release();
    await nextTurn();
  }
  await Promise.all([...calls, other]);
});

test("a client that disconnects while waiting causes no work, and the next call runs", async () => {
  const concurrency = createAnonymousConcurrency({ wait: async () => {} });
  const open: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => open.push(resolve));
  const first = Array.from({ length: 4 }, () => concurrency.run("a", there, work));
  const socket = { destroyed: false };
  const left = Array.from({ length: 400 }, () => concurrency.run("a", callOf(socket), work));
  const last = concurrency.run("a", there, work);
  await nextTurn();
  socket.destroyed = true;
  open.shift()?.();
  for (const call of left) await assert.rejects(call, /broke off/);
  await nextTurn();
  assert.equal(open.length, 4, "the three that were in hand, and the last");
  for (const release of open) release();
  await Promise.all([...first, last]);
});
