import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { type Kit, OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { rawConnection } from "../../../testing/raw-http.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import type { Deps } from "../../app/deps.ts";
import { serve } from "../../app/serve.ts";
import type { Handlers } from "../api/handler.ts";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connections.ts";

const SHORT = { headersTimeoutMs: 200, requestTimeoutMs: 400, checkedEveryMs: 50 };
/** Well below the default limits, and ample for a busy machine. */
const CLOSED_MS_MAX = CONNECTION_LIMITS.headersTimeoutMs * 0.8;

const lineOf = (kit: Kit) =>
  `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kit.testKey}\r\n`;

async function msUntilClosed(closed: Promise<string>): Promise<{ text: string; ms: number }> {
  const started = performance.now();
  const text = await closed;
  return { text, ms: performance.now() - started };
}

describe("X27: slow clients and many clients", () => {
  const suite = suiteKit();

  async function startServer(
    t: TestContext,
    limits: Partial<ConnectionLimits>,
    replacedHandlers: Partial<Handlers<Deps>> = {},
  ): Promise<{ url: string; kit: Kit }> {
    const kit = suite();
    const server = await serve(kit.deps, {
      host: "127.0.0.1",
      port: 0,
      operatorToken: OPERATOR_TOKEN,
      limits: { ...SHORT, ...limits },
      replacedHandlers,
    });
    t.after(server.close);
    return { url: server.url, kit };
  }

  it("a connection that sends nothing, or a header a minute, is closed", async (t) => {
    const { url, kit } = await startServer(t, {});
    for (const begun of ["", "GET /v1/acc", lineOf(kit), `${lineOf(kit)}X-A: `]) {
      const connection = await rawConnection(url);
      connection.write(begun);
      const dripping = setInterval(() => connection.write("x"), 40);
      const { text, ms } = await msUntilClosed(connection.closed());
      clearInterval(dripping);
      assert.ok(ms < CLOSED_MS_MAX, `closed after ${ms} ms`);
      assert.doesNotMatch(text, / 200 /);
    }
  });

  it("a body that trickles in is cut off", async (t) => {
    const { url, kit } = await startServer(t, {});
    const connection = await rawConnection(url);
    connection.write(
      lineOf(kit).replace("GET", "PATCH") +
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    const dripping = setInterval(() => connection.write(" "), 40);
    const { text, ms } = await msUntilClosed(connection.closed());
    clearInterval(dripping);
    assert.ok(ms < CLOSED_MS_MAX, `closed after ${ms} ms`);
    assert.match(text, /^HTTP\/1\.1 408 /);
    assert.match(text, /"code":"request_timeout"/);
  });

  const onLinux = { skip: process.platform === "linux" ? false : "reads /proc" };
  it("a client that does not read its answer is dropped", onLinux, async (t) => {
    const large = async () => ({ status: 200, body: null, raw: "x".repeat(20_000_000) });
    const { url, kit } = await startServer(t, { stalledAnswerMs: 200 }, {
      "account.get": large,
    } as unknown as Partial<Handlers<Deps>>);
    const connection = await rawConnection(url);
    connection.socket.pause();
    connection.write(`${lineOf(kit)}\r\n`);
    // The client reads nothing, so the server's side decides: it must drop the answer.
    await until(async () => (await openConnections(url)) === 0);
    connection.socket.destroy();
  });

  it("a slow but steady reader gets the whole answer", async (t) => {
    const large = async () => ({ status: 200, body: null, raw: "x".repeat(3_000_000) });
    // Time enough for the request itself, also on a busy machine.
    const limits = { stalledAnswerMs: 2_000, headersTimeoutMs: 10_000, requestTimeoutMs: 10_000 };
    const { url, kit } = await startServer(t, limits, {
      "account.get": large,
    } as unknown as Partial<Handlers<Deps>>);
    const connection = await rawConnection(url);
    connection.write(`${lineOf(kit)}\r\n`);
    assert.equal((await connection.next()).text.length, 3_000_000);
    connection.socket.destroy();
  });

  it("one socket serves a bounded number of requests, pipelined or not", async (t) => {
    const { url, kit } = await startServer(t, {
      requestsPerSocketMax: 20,
      headersTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
    });
    const connection = await rawConnection(url);
    connection.write(`${lineOf(kit)}\r\n`.repeat(10_000));
    const { text, ms } = await msUntilClosed(connection.closed());
    assert.ok(ms < CLOSED_MS_MAX, `closed after ${ms} ms`);
    assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 20);
  });

  it("one address has a bounded number of connections", async (t) => {
    const { url, kit } = await startServer(t, {
      connectionsPerAddressMax: 5,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 10_000,
    });
    const connections = await Promise.all(Array.from({ length: 5 }, () => rawConnection(url)));
    const oneMore = await rawConnection(url);
    assert.equal(await oneMore.closed(), "");
    connections[0]?.socket.destroy();
    await until(async () => {
      const connection = await rawConnection(url);
      connection.write(`${lineOf(kit)}\r\n`);
      const isServed = await connection.next().then(
        (answer) => answer.status === 200,
        () => false,
      );
      connection.socket.destroy();
      return isServed;
    });
    for (const { socket } of connections) socket.destroy();
  });

  it("hundreds of slow connections do not delay the others", async (t) => {
    const { url, kit } = await startServer(t, {
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
    });
    const unhindered = await slowestMs(url, kit);
    const slow = await Promise.all(Array.from({ length: 500 }, () => rawConnection(url)));
    for (const connection of slow) connection.write(lineOf(kit));
    const hindered = await slowestMs(url, kit);
    assert.ok(hindered < 1_000 + 3 * unhindered, `${hindered} ms instead of ${unhindered} ms`);
    for (const connection of slow) connection.socket.destroy();
  });
});

/** Duration in ms of the second slowest of fifty sequential requests. */
async function slowestMs(url: string, kit: Kit): Promise<number> {
  const latencies: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    const started = performance.now();
    const answer = await fetch(`${url}/v1/account`, {
      headers: { authorization: `Bearer ${kit.testKey}` },
    });
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
    latencies.push(performance.now() - started);
  }
  return latencies.sort((a, b) => a - b)[48] ?? 0;
}

/** Connections other than the probe's own, from the kernel's table. */
async function openConnections(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const table = await readFile("/proc/net/tcp", "utf8");
  return table.split("\n").filter((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    return local.endsWith(`:${port}`) && state === "01";
  }).length;
}
