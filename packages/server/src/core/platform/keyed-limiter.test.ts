import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { KeyedLimiter } from "./keyed-limiter.ts";

describe("KeyedLimiter", () => {
  it("queues callers of a full key in order, refuses one too many, and leaves other keys alone", async () => {
    const limiter = new KeyedLimiter({ concurrency: 1 });
    const release = await limiter.acquire("a");
    const order: number[] = [];
    const waiting = Array.from({ length: 500 }, (_, index) =>
      limiter.run("a", async () => void order.push(index)),
    );
    await assert.rejects(limiter.acquire("a"), { code: "rate_limited" });
    (await limiter.acquire("b"))();
    assert.deepEqual(order, []);
    release();
    await Promise.all(waiting);
    assert.deepEqual(
      order,
      Array.from({ length: 500 }, (_, index) => index),
    );
    (await limiter.acquire("a"))();
  });

  it("holds as many slots as it is given, and counts a release once", async () => {
    const limiter = new KeyedLimiter({ concurrency: 2 });
    const first = await limiter.acquire("a");
    assert.equal(limiter.isFull("a"), false);
    const second = await limiter.acquire("a");
    assert.equal(limiter.isFull("a"), true);
    assert.equal(limiter.isFull("b"), false);
    first();
    first();
    assert.equal(limiter.isFull("a"), false);
    const third = await limiter.acquire("a");
    assert.equal(limiter.isFull("a"), true);
    second();
    third();
    assert.equal(limiter.isFull("a"), false);
  });

  it("hands a released slot to the queue, not to a newcomer", async () => {
    const limiter = new KeyedLimiter({ concurrency: 1 });
    const order: string[] = [];
    const release = await limiter.acquire("a");
    const queued = limiter.run("a", async () => void order.push("queued"));
    release();
    const newcomer = limiter.run("a", async () => void order.push("newcomer"));
    await Promise.all([queued, newcomer]);
    assert.deepEqual(order, ["queued", "newcomer"]);
  });

  it("releases the slot of work that fails", async () => {
    const limiter = new KeyedLimiter({ concurrency: 1 });
    const failing = limiter.run("a", () => Promise.reject(new Error("fails")));
    await assert.rejects(failing, /fails/);
    assert.equal(limiter.isFull("a"), false);
  });

  it("drops a caller whose signal aborts, and grants its slot to the next", async () => {
    const limiter = new KeyedLimiter({ concurrency: 1, waitingMax: 2 });
    const release = await limiter.acquire("a");
    const gone = new AbortController();
    const left = limiter.acquire("a", gone.signal);
    const stayed = limiter.acquire("a", new AbortController().signal);
    await assert.rejects(limiter.acquire("a"), { code: "rate_limited" });
    gone.abort(new Error("gone"));
    await assert.rejects(left, /gone/);
    await assert.rejects(limiter.acquire("a", gone.signal), /gone/);
    let isGranted = false;
    const last = limiter.acquire("a").then((done) => {
      isGranted = true;
      return done;
    });
    release();
    const done = await stayed;
    await nextTurn();
    assert.equal(isGranted, false);
    done();
    (await last)();
    assert.equal(limiter.isFull("a"), false);
  });

  it("ignores a signal that aborts after its slot was granted", async () => {
    const limiter = new KeyedLimiter({ concurrency: 1 });
    const release = await limiter.acquire("a");
    const late = new AbortController();
    const acquiring = limiter.acquire("a", late.signal);
    release();
    late.abort();
    (await acquiring)();
    assert.equal(limiter.isFull("a"), false);
  });

  it("refuses at once, in the caller's words, where nobody may queue", async () => {
    const refuse = () => new Error("full");
    const limiter = new KeyedLimiter({ concurrency: 1, waitingMax: 0, refuse });
    const release = await limiter.acquire("a");
    await assert.rejects(limiter.acquire("a"), /full/);
    release();
    (await limiter.acquire("a"))();
  });
});
