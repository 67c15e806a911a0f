import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { serveApart, standStill } from "../../../testing/block-thread.ts";
import { afterReading } from "./clock.ts";

/** Answers a tenth of a second after it receives something. */
const ANSWERING = `
const server = require("node:net").createServer((socket) => {
  socket.on("data", (asked) => setTimeout(() => socket.write(asked), 100));
});`;
const WAIT_MS = 300;
const STOPPED_MS = 2_000;

test("a timer fires after data that arrived while the process was stopped has been read", async (t) => {
  const socket = connect(await serveApart(t, ANSWERING), "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  const seen: string[] = [];
  socket.on("data", (answer) => seen.push(String(answer)));
  const givenUp = () => new Promise<void>((resolve) => afterReading(WAIT_MS, resolve));

  await t.test("data sent before the stop", async () => {
    const waiting = givenUp();
    socket.write("before");
    standStill(STOPPED_MS);
    await waiting;
    assert.deepEqual(seen.splice(0), ["before"]);
  });

  await t.test("data sent after the stop", async () => {
    const waiting = givenUp();
    standStill(STOPPED_MS);
    socket.write("after");
    await waiting;
    assert.deepEqual(seen.splice(0), ["after"]);
  });
});

test("the callback runs once, after its time, and not when it was cancelled", async () => {
  const startedAt = performance.now();
  const cancel = afterReading(WAIT_MS / 2, () => assert.fail("the callback was cancelled"));
  cancel();
  await new Promise<void>((resolve) => afterReading(WAIT_MS, resolve));
  assert.ok(performance.now() - startedAt >= WAIT_MS - 1);
});
