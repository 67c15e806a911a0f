import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createSocketWindow } from "./socket-window.ts";

const LIMITS = { inHandPerSocketMax: 16, waitingInAllMax: 1_000, headersTimeoutMs: 10_000 };
const BEGUN_PER_TURN_MAX = 8;

/** A socket as the window sees it, which counts how often it is read again. */
function fakeSocket() {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    reads: 0,
    isPaused: false,
    pause() {
      socket.isPaused = true;
    },
    resume() {
      socket.isPaused = false;
      socket.reads += 1;
    },
    destroy() {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  return socket;
}
type Fake = ReturnType<typeof fakeSocket>;
const asSocket = (fake: Fake) => fake as unknown as Socket;

/** Requests that are answered at once, as what needs no database is. */
function bring(window: ReturnType<typeof createSocketWindow>, socket: Fake, count: number) {
  const answered = { count: 0 };
  for (let index = 0; index < count; index += 1) {
    window.enter(asSocket(socket), () => {
      queueMicrotask(() => {
        answered.count += 1;
        window.leave(asSocket(socket));
      });
    });
  }
  return answered;
}

describe("the requests of one socket", () => {
  it("what one read brought is answered a few at a time, and everybody else in between", async () => {
    const window = createSocketWindow(LIMITS);
    const socket = fakeSocket();
    const answered = bring(window, socket, 200);
    assert.equal(socket.isPaused, true);
    await Promise.resolve();
    let before = LIMITS.inHandPerSocketMax;
    assert.equal(answered.count, before);
    while (answered.count < 200) {
      await nextTurn();
      const begun = answered.count - before;
      assert.ok(begun > 0 && begun <= BEGUN_PER_TURN_MAX, `${begun} in one turn`);
      before = answered.count;
      assert.equal(socket.reads, 0);
    }
    await nextTurn();
    await nextTurn();
    assert.equal(socket.reads, 1);
  });

  it("however many sockets there are, each in its turn, and one read again at a time", async () => {
    const window = createSocketWindow(LIMITS);
    const sockets = Array.from({ length: 20 }, fakeSocket);
    const brought = sockets.map((socket) => bring(window, socket, 40));
    const total = () => brought.reduce((sum, { count }) => sum + count, 0);
    const reads = () => sockets.reduce((sum, socket) => sum + socket.reads, 0);
    await Promise.resolve();
    while (total() < 20 * 40) {
      const before = total();
      await nextTurn();
      assert.ok(total() - before <= BEGUN_PER_TURN_MAX);
      const counts = brought.map(({ count }) => count);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `unequal: ${counts}`);
    }
    while (reads() < sockets.length) {
      const before = reads();
      await nextTurn();
      assert.ok(reads() - before <= 1);
    }
  });

  it("whoever brings more than all may hold is dropped, and frees what it held", async () => {
    const window = createSocketWindow({ ...LIMITS, waitingInAllMax: 100 });
    const held = fakeSocket();
    for (let index = 0; index < 16 + 90; index += 1) window.enter(asSocket(held), () => {});
    assert.equal(held.destroyed, false);
    const greedy = fakeSocket();
    const answered = bring(window, greedy, 16 + 11);
    assert.equal(greedy.destroyed, true);
    held.destroy();
    const next = fakeSocket();
    bring(window, next, 16 + 100);
    assert.equal(next.destroyed, false);
    await nextTurn();
    assert.equal(
      answered.count,
      LIMITS.inHandPerSocketMax,
      "nothing of a socket that is gone begins",
    );
  });

  it("of many new sockets some are read in a turn, and one alone while others bring too much", async () => {
    const window = createSocketWindow(LIMITS);
    const sockets = Array.from({ length: 30 }, fakeSocket);
    for (const socket of sockets) window.open(asSocket(socket));
    const open = () => sockets.filter((socket) => !socket.isPaused).length;
    await nextTurn();
    assert.equal(open(), 8);
    await nextTurn();
    assert.equal(open(), 16);
    bring(window, fakeSocket(), 17);
    await nextTurn();
    assert.equal(open(), 17);
    while (open() < sockets.length) {
      const before = open();
      await nextTurn();
      assert.ok(open() > before && open() - before <= 8);
    }
  });

  it("a socket that was read for a body while it stood in line loses nothing", async () => {
    const window = createSocketWindow(LIMITS);
    const socket = fakeSocket();
    const first = bring(window, socket, 17);
    while (first.count < 17) await nextTurn();
    // It waits to be read again, and something else has read it already.
    const more = bring(window, socket, 40);
    while (more.count < 40) await nextTurn();
    await nextTurn();
    await nextTurn();
    assert.equal(socket.isPaused, false);
  });
});
