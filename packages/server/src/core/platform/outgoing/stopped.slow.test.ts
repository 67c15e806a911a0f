import assert from "node:assert/strict";
import test from "node:test";
import { serveApart, standStill } from "../../../../testing/block-thread.ts";
import { post } from "../../../../testing/fake-internet.ts";
import { createOutgoing, parseAllowTargets } from "./index.ts";

/** Answers after a tenth of a second. */
const ANSWERING = `
const server = require("node:http").createServer((request, response) => {
  request.resume();
  setTimeout(() => response.end("taken"), 100);
});`;
const DEADLINE_MS = 1_000;
const STOPPED_MS = 3_000;

test("an answer that arrived while the process was stopped is read, although the deadline has passed", async (t) => {
  const port = await serveApart(t, ANSWERING);
  const outgoing = createOutgoing({
    now: () => performance.now(),
    userAgent: "Longwave-Test/1",
    allowTargets: parseAllowTargets("127.0.0.1/32"),
  });
  t.after(() => outgoing.close());
  const url = `http://127.0.0.1:${port}/`;
  const asking = { reuse: true, deadlineMs: DEADLINE_MS };
  assert.equal((await outgoing.request(post(url, asking))).kind, "answer");
  const second = outgoing.request(post(url, asking));
  // Wait until the request has left, on the open connection.
  await new Promise((resolve) => setImmediate(resolve));
  standStill(STOPPED_MS);
  assert.equal((await second).kind, "answer");
});
