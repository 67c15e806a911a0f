import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { until } from "../../../testing/until.ts";
import { createSocketWindow, type SocketWindow, type WindowLimits } from "./socket-window.ts";

const LIMITS: WindowLimits = {
  concurrentPerSocketMax: 16,
  requestsPerSocketMax: 1_000_000,
  headersTimeoutMs: 10_000,
  parsedInAllMax: 1_000,
  bufferedBytesMax: 10_000_000,
};
const STARTS_PER_TICK_MAX = 8;
const ONE = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A fake socket for the window, with a parser that accepts only requests like `ONE`. */
function fakeSocket(window: SocketWindow, remoteAddress = "203.0.113.1") {
  const state = { begun: 0, isPaused: false };
  let rest = "";
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    writableEnded: false,
    pause() {
      state.isPaused = true;
    },
    resume() {
      state.isPaused = false;
    },
    destroy() {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  const asSocket = socket as unknown as Socket;
  socket.on("data", (bytes: Buffer) => {
    const heads = (rest + bytes.toString("latin1")).split("\r\n\r\n");
    rest = heads.pop() ?? "";
    const requests = heads.length;
    for (let index = 0; index < requests; index += 1) {
      const request = { socket: asSocket, complete: true, headers: {} } as IncomingMessage;
      window.enter(request, () => {
        state.begun += 1;
      });
    }
  });
  window.open(asSocket);
  return {
    state,
    socket,
    bring: (count: number) => socket.emit("data", Buffer.from(ONE.repeat(count))),
    answer: (count = 1) => {
      for (let index = 0; index < count; index += 1) window.leave(asSocket);
    },
  };
}

/** A window that has already seen this address pipeline. */
function knowingWindow(limits: WindowLimits): SocketWindow {
  const window = createSocketWindow(limits);
  const { bring, answer, socket } = fakeSocket(window);
  bring(3);
  answer(3);
  socket.destroy();
  return window;
}

describe("the first pipelined requests", () => {
  it("are parsed at once and start up to the limit, the rest a few at a time", async () => {
    const window = createSocketWindow(LIMITS);
    const { state, bring, answer } = fakeSocket(window);
    bring(200);
    assert.deepEqual(state, { begun: LIMITS.concurrentPerSocketMax, isPaused: true });
    let answered = 0;
    while (answered < 200) {
      const before = state.begun;
      answer(before - answered);
      answered = before;
      await nextTurn();
      assert.ok(state.begun - before <= STARTS_PER_TICK_MAX);
    }
    assert.deepEqual(state, { begun: 200, isPaused: false });
  });

  it("switch all sockets of their address, and no others, to one request at a time", async () => {
    const window = createSocketWindow(LIMITS);
    const other = fakeSocket(window, "203.0.113.2");
    const open = fakeSocket(window);
    open.bring(2);
    assert.equal(open.state.begun, 2, "two at a time tell nothing yet");
    fakeSocket(window).bring(3);
    open.answer(2);
    open.bring(10);
    assert.equal(open.state.begun, 3);
    const later = fakeSocket(window);
    later.bring(10);
    assert.equal(later.state.begun, 1);
    other.bring(2);
    assert.equal(other.state.begun, 2);
  });

  it("are dropped with their socket when too many already wait, and are freed", async () => {
    const window = createSocketWindow({ ...LIMITS, parsedInAllMax: 100 });
    const waiting = fakeSocket(window);
    waiting.bring(16 + 90);
    assert.equal(waiting.socket.destroyed, false);
    const greedy = fakeSocket(window, "203.0.113.2");
    greedy.bring(16 + 11);
    assert.equal(greedy.socket.destroyed, true);
    waiting.socket.destroy();
    const next = fakeSocket(window, "203.0.113.3");
    next.bring(16 + 100);
    assert.equal(next.socket.destroyed, false);
  });
});

describe("the requests of one socket", () => {
  it("start a few at a time, up to the limit", async () => {
    const window = knowingWindow(LIMITS);
    const { state, bring, answer } = fakeSocket(window);
    bring(200);
    assert.deepEqual(state, { begun: 1, isPaused: true });
    for (let count = 0; count < 5; count += 1) await nextTurn();
    assert.equal(state.begun, LIMITS.concurrentPerSocketMax);
    let answered = 0;
    while (answered < 200) {
      const before = state.begun;
      answer(before - answered);
      answered = before;
      assert.equal(state.begun, before, "nothing begins in the turn of an answer");
      await nextTurn();
      const begun = state.begun - before;
      assert.ok(begun <= STARTS_PER_TICK_MAX, `${begun} in one tick`);
      assert.equal(state.isPaused, state.begun < 200);
    }
    assert.equal(state.begun, 200);
  });

  it("start round-robin over all sockets", async () => {
    const window = knowingWindow(LIMITS);
    const sockets = Array.from({ length: 20 }, () => fakeSocket(window));
    for (const { bring } of sockets) bring(40);
    const begun = () => sockets.map(({ state }) => state.begun);
    while (Math.min(...begun()) < 40) {
      const before = begun();
      await nextTurn();
      const after = begun();
      const inAll = after.reduce((sum, count, index) => sum + count - (before[index] ?? 0), 0);
      assert.ok(inAll > 0 && inAll <= STARTS_PER_TICK_MAX, `${inAll} in one tick`);
      assert.ok(Math.max(...after) - Math.min(...after) <= 1, `unequal: ${after}`);
      for (const [index, { answer }] of sockets.entries()) {
        answer((after[index] ?? 0) - (before[index] ?? 0));
      }
    }
    assert.ok(sockets.every(({ state }) => !state.isPaused));
  });

  it("over the shared limit drop their socket, and free its memory", async () => {
    const window = knowingWindow({ ...LIMITS, bufferedBytesMax: 100 * ONE.length });
    const waiting = fakeSocket(window);
    waiting.bring(90);
    assert.equal(waiting.socket.destroyed, false);
    const greedy = fakeSocket(window);
    greedy.bring(30);
    assert.equal(greedy.socket.destroyed, true);
    await nextTurn();
    assert.equal(greedy.state.begun, 1, "nothing more of a socket that is gone begins");
    waiting.socket.destroy();
    const next = fakeSocket(window);
    next.bring(100);
    assert.equal(next.socket.destroyed, false);
  });

  it("start at once when they arrive one at a time", () => {
    const window = knowingWindow(LIMITS);
    const { state, bring, answer } = fakeSocket(window);
    for (let count = 1; count <= 100; count += 1) {
      bring(1);
      assert.deepEqual(state, { begun: count, isPaused: false });
      answer();
    }
  });
});

/** A real Node server with the window in front of its parser. */
async function startServer(
  t: TestContext,
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
  reading: (request: IncomingMessage) => Promise<void> = async () => {},
) {
  const window = createSocketWindow(LIMITS);
  const seen = { inHand: 0, most: 0, begun: 0 };
  const work = async (request: IncomingMessage, response: ServerResponse) => {
    seen.begun += 1;
    seen.inHand += 1;
    seen.most = Math.max(seen.most, seen.inHand);
    response.once("close", () => {
      seen.inHand -= 1;
      window.leave(request.socket);
    });
    await reading(request);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    answer(request, Buffer.concat(pieces).toString("latin1"), response);
  };
  const server = createServer((request, response) =>
    window.enter(request, () => void work(request, response)),
  );
  server.on("connection", (socket) => window.open(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  await once(client, "connect");
  return { client, seen, port };
}

/** After this the window parses requests from this address one at a time. */
async function pipelineOnce(port: number): Promise<void> {
  const first = connect(port, "127.0.0.1");
  first.write(`${ONE.repeat(2)}${ONE.replace("Host: x", "Host: x\r\nConnection: close")}`);
  first.resume();
  await once(first, "close");
}

/** Pseudo-random numbers, the same in every run. */
function createNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Byte sequences that resemble the end of a head, or a request. */
const CONFUSING = ["\r\n\r\n", "\n\n", "\r", "\n", "0\r\n\r\n", ONE, "x", "Host: x\r\n"];

function randomRequest(number: (below: number) => number, index: number) {
  const body = Array.from({ length: number(12) }, () => CONFUSING[number(8)]).join("");
  const head = (more: string) => `POST /${index} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  switch (number(3)) {
    case 0:
      return { wire: ONE.replace("/", `/${index}`), body: "" };
    case 1:
      return { wire: head(`Content-Length: ${body.length}\r\n`) + body, body };
    default: {
      const middle = number(body.length + 1);
      const chunks = [body.slice(0, middle), body.slice(middle)].filter((chunk) => chunk !== "");
      const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
      return { wire: `${head("Transfer-Encoding: chunked\r\n")}${framed}0\r\n\r\n`, body };
    }
  }
}

describe("pipelined requests through Node's parser", () => {
  it("arrive whole and in order, however they are cut, with bodies that look like requests", async (t) => {
    const { client, seen } = await startServer(t, (request, body, response) => {
      response.end(JSON.stringify({ url: request.url, body }));
    });
    const number = createNumbers(4);
    const requests = Array.from({ length: 400 }, (_, index) => randomRequest(number, index));
    const wire = requests.map((request) => request.wire).join("");
    let answered = "";
    client.setEncoding("latin1").on("data", (text: string) => {
      answered += text;
    });
    client.setNoDelay(true);
    for (let at = 0; at < wire.length; ) {
      const bytes = number(4) === 0 ? 1 + number(4) : 1 + number(2_000);
      client.write(wire.slice(at, at + bytes), "latin1");
      at += bytes;
      if (number(3) === 0) await nextTurn();
    }
    await until(() => seen.begun === requests.length && seen.inHand === 0);
    // Answered is not received: the last answers may still be in transit.
    const bodies = () => [...answered.matchAll(/\{"url":.*\}/g)].map(([text]) => JSON.parse(text));
    await until(() => bodies().length === requests.length);
    assert.deepEqual(
      bodies(),
      requests.map(({ body }, index) => ({ url: `/${index}`, body })),
    );
    assert.ok(seen.most <= LIMITS.concurrentPerSocketMax, `${seen.most} in hand`);
    client.destroy();
  });

  it("with other line endings are refused, however many there are", async (t) => {
    for (const end of ["\n", "\r"]) {
      const { client, seen } = await startServer(t, (_request, _body, response) => response.end());
      client.write(ONE.replaceAll("\r\n", end).repeat(100));
      let answered = "";
      client.setEncoding("latin1").on("data", (text: string) => {
        answered += text;
      });
      await once(client, "close");
      assert.match(answered, /^HTTP\/1\.1 400 /);
      assert.equal(seen.begun, 0);
    }
  });

  it("with a large body arrive whole, no faster than the reader takes the body", async (t) => {
    const met: IncomingMessage[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { client } = await startServer(
      t,
      (_request, body, response) => response.end(String(body.length)),
      async (request) => {
        met.push(request);
        await released;
      },
    );
    const body = "a\r\n\r\nb\n\n".repeat(2_000_000);
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.write(head + body + ONE);
    let answered = "";
    client.setEncoding("latin1").on("data", (text: string) => {
      answered += text;
    });
    await until(() => met.length === 1);
    for (let turns = 0; turns < 500; turns += 1) await nextTurn();
    assert.equal(met.length, 1);
    assert.ok((met[0]?.readableLength ?? 0) <= 300_000, `${met[0]?.readableLength} bytes taken`);
    assert.ok(client.writableLength > 0, "the client cannot get rid of it");
    release();
    await until(() => answered.match(/HTTP\/1\.1 200 OK/g)?.length === 2);
    assert.match(answered, new RegExp(`\r\n${body.length}HTTP/1.1`));
    client.destroy();
  });

  it("with unread answers stop starting, and continue once the answers are read", async (t) => {
    const large = "x".repeat(100_000);
    const { client, seen, port } = await startServer(t, (_request, _body, response) => {
      response.end(large);
    });
    await pipelineOnce(port);
    seen.begun = 0;
    const count = 400;
    // One request fills two pieces, so that the parser is fed between two answers.
    const one = ONE.replace("Host: x", `Host: x\r\nX-Padding: ${"x".repeat(700)}`);
    client.pause();
    client.write(one.repeat(count));
    let before = -1;
    // The kernel's buffers take some of the answers.
    while (seen.begun !== before) {
      before = seen.begun;
      for (let turns = 0; turns < 200; turns += 1) await nextTurn();
    }
    assert.ok(seen.begun < count, `${seen.begun} begun, and nothing read`);
    assert.ok(seen.inHand <= LIMITS.concurrentPerSocketMax);
    let bytes = 0;
    client.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.resume();
    await until(() => bytes >= count * large.length && seen.inHand === 0);
    assert.equal(seen.begun, count);
    client.destroy();
  });
});
