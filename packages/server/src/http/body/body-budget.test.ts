import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { createBodyBudget, readBody } from "./read-body.ts";

const refused = (take: () => void) => {
  try {
    take();
    return null;
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.details.headers?.["retry-after"], "1");
    return error.code;
  }
};

describe("the body budget", () => {
  it("gives one account at most a quarter, and the process at most all of it", () => {
    const budget = createBodyBudget(100);
    const first = budget.open("a");
    const second = budget.open("a");
    first.take(20);
    assert.equal(
      refused(() => second.take(6)),
      "rate_limited",
    );
    second.take(5);
    const operator = budget.open(null);
    operator.take(75);
    assert.equal(
      refused(() => budget.open("b").take(1)),
      "unavailable",
    );
    first.release();
    assert.equal(
      refused(() => budget.open("b").take(1)),
      null,
    );
    assert.equal(
      refused(() => second.take(20)),
      "unavailable",
    );
    operator.release();
    second.take(20);
    second.release();
    budget.open("a").take(25);
  });

  it("keeps the last eighth for small bodies, so that messages pass beside large ones", () => {
    const mib = 1024 * 1024;
    const budget = createBodyBudget(16 * mib);
    for (const account of ["a", "b", "c"]) budget.open(account).take(4 * mib);
    const large = budget.open("d");
    large.take(2 * mib);
    assert.equal(
      refused(() => large.take(1)),
      "unavailable",
    );
    assert.equal(
      refused(() => budget.open("e").take(64 * 1024 + 1)),
      "unavailable",
    );
    const small = budget.open("e");
    small.take(64 * 1024);
    // A growing body stops counting as small.
    assert.equal(
      refused(() => small.take(1)),
      "unavailable",
    );
    for (let count = 1; count < 32; count += 1) budget.open("f").take(64 * 1024);
    assert.equal(
      refused(() => budget.open("g").take(1)),
      "unavailable",
    );
  });
});

it("a body that arrived whole before its reader, on a closed connection, is an error", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const asked = once(server, "request") as Promise<[IncomingMessage]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}");
  const [request] = await asked;
  client.destroy();
  if (!request.socket.destroyed) await once(request.socket, "close");
  assert.ok(request.complete);
  const bytes = createBodyBudget(100).open("a");
  await assert.rejects(async () => readBody(request, 100, bytes), /broke off/);
});
