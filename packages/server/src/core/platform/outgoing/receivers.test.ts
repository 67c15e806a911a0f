/** Misbehaving receivers, over real sockets and real TLS. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { after, type TestContext, test } from "node:test";
import { startDnsServer } from "../../../../testing/dns-server.ts";
import {
  checkAllowingLoopback,
  createTestOutgoing,
  DEAD_PUBLIC_ADDRESS,
  OTHER_PUBLIC_ADDRESS,
  PUBLIC_ADDRESS,
  post,
  type Receiver,
  startListener,
  startReceiver,
} from "../../../../testing/fake-internet.ts";
import { createOutgoing, type OutgoingResult } from "./index.ts";

const file = { after };
const dns = await startDnsServer(file, (question) => {
  if (question.name === "dead-then-alive.longwave.test") {
    return { addresses: [DEAD_PUBLIC_ADDRESS, PUBLIC_ADDRESS] };
  }
  if (question.name === "six.longwave.test") return { addresses: ["::1"] };
  return question.name.startsWith("no-such") ? "nxdomain" : { addresses: [PUBLIC_ADDRESS] };
});
const outgoing = createTestOutgoing(file, { dnsServers: [dns.address] });

function url(receiver: Receiver, host = "receiver.longwave.test"): string {
  return `https://${host}:${receiver.port}/hook?a=1`;
}

function assertAnswer(result: OutgoingResult): Extract<OutgoingResult, { kind: "answer" }> {
  assert.equal(result.kind, "answer", JSON.stringify(result));
  return result as Extract<OutgoingResult, { kind: "answer" }>;
}

function assertFailed(result: OutgoingResult, error: "timeout" | "unreachable"): string {
  assert.equal(result.kind, "failed", JSON.stringify(result));
  if (result.kind !== "failed") throw new Error("unreachable");
  assert.equal(result.error, error, result.detail);
  return result.detail;
}

/** Plain TCP, for answers that no HTTP library would send. */
async function startRawReceiver(
  t: TestContext,
  onSocket: (socket: Socket) => void,
): Promise<Receiver & { readonly url: string }> {
  const receiver = await startListener(t, (socket) => {
    // Unread, a socket would not notice that the other side has left.
    socket.resume();
    onSocket(socket);
  });
  return Object.assign(receiver, { url: `http://${PUBLIC_ADDRESS}:${receiver.port}/` });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

test("a request arrives byte for byte, with our User-Agent and without compression", async (t) => {
  let seen: { body: string; request: IncomingMessage } | null = null;
  const receiver = await startReceiver(t, async (request, response) => {
    seen = { body: await readBody(request), request };
    response.writeHead(200, { "x-one": "1", "set-cookie": ["a=1", "b=2"] }).end("fine");
  });
  const headers = ["content-type", "application/json", "svc-event-id", "evt_1"];
  const result = await outgoing.request(post(url(receiver), { headers, body: '{"é":1}' }));
  const answer = assertAnswer(result);
  assert.equal(answer.status, 200);
  assert.equal(answer.body.toString(), "fine");
  assert.equal(answer.truncated, false);
  assert.equal(answer.headers["x-one"], "1");
  assert.deepEqual(answer.headers["set-cookie"], ["a=1", "b=2"]);
  assert.ok(answer.latencyMs > 0 && answer.latencyMs < 5_000);
  assert.ok(seen !== null);
  const { body, request } = seen as { body: string; request: IncomingMessage };
  assert.equal(body, '{"é":1}');
  assert.equal(request.method, "POST");
  assert.equal(request.url, "/hook?a=1");
  assert.equal(request.headers["host"], `receiver.longwave.test:${receiver.port}`);
  assert.equal(request.headers["user-agent"], "Longwave-Test/1");
  assert.equal(request.headers["accept-encoding"], "identity");
  assert.equal(request.headers["svc-event-id"], "evt_1");
  assert.equal(request.headers["content-length"], "8");
  assert.equal(request.headers["connection"], "close");
  await receiver.untilNoSockets();
});

test("every legitimate spelling of a receiver is delivered over TLS", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => response.end("ok"));
  const { port } = receiver;
  const urls = [
    `https://longwave.test:${port}/`,
    `https://RECEIVER.Longwave.TEST:${port}/a/b?c=d#ignored`,
    `https://receiver.longwave.test.:${port}/`,
    `https://bücher.longwave.test:${port}/%E2%82%AC/€?q=ü`,
    `https://${PUBLIC_ADDRESS}:${port}/by-address`,
    `https://dead-then-alive.longwave.test:${port}/`,
    `https://127-0-0-1.longwave.test:${port}/`,
    `https:\\\\receiver.longwave.test:${port}\\x`,
  ];
  for (const target of urls) {
    const answer = assertAnswer(await outgoing.request(post(target)));
    assert.equal(answer.body.toString(), "ok", target);
  }
  assert.equal(receiver.connectionCount, urls.length);
});

test("an IPv6 receiver is reached by name and by address", async (t) => {
  const six = createTestOutgoing(t, { dnsServers: [dns.address], checkAddress: () => null });
  const receiver = await startReceiver(t, (_request, response) => response.end("six"), {
    address: "::1",
  }).catch(() => null);
  if (receiver === null) return t.skip("this machine has no IPv6 loopback");
  for (const host of ["six.longwave.test", "[::1]"]) {
    const result = await six.request(post(`https://${host}:${receiver.port}/`));
    assert.equal(assertAnswer(result).body.toString(), "six");
  }
});

test("errors and redirects are answers, and redirects are not followed", async (t) => {
  let status = 0;
  const location = "https://elsewhere.longwave.test/";
  const receiver = await startReceiver(t, (_request, response) =>
    response.writeHead(status, { location }).end("no"),
  );
  const statuses = [500, 404, 429, 301, 302, 303, 307, 308];
  for (status of statuses) {
    const answer = assertAnswer(await outgoing.request(post(url(receiver))));
    assert.equal(answer.status, status);
    assert.equal(answer.headers["location"], location);
  }
  assert.equal(receiver.connectionCount, statuses.length);
});

test("a receiver that never answers is a timeout at the deadline", async (t) => {
  const receiver = await startReceiver(t, () => {});
  const startedAtMs = performance.now();
  const result = await outgoing.request(post(url(receiver), { deadlineMs: 200 }));
  assertFailed(result, "timeout");
  assert.ok(performance.now() - startedAtMs < 3_000);
  assert.ok(result.latencyMs >= 195, String(result.latencyMs));
  await receiver.untilNoSockets();
});

test("a receiver that accepts the connection and never answers the TLS handshake is a timeout", async (t) => {
  const silent = await startListener(t, (socket) => socket.resume());
  const result = await outgoing.request(post(url(silent), { deadlineMs: 200 }));
  assertFailed(result, "timeout");
  await silent.untilNoSockets();
});

test("a reset, a refused connection and an unknown name are unreachable", async (t) => {
  const resetting = await startListener(t, (socket) =>
    socket.once("data", () => socket.resetAndDestroy()),
  );
  assertFailed(await outgoing.request(post(url(resetting))), "unreachable");
  await resetting.close();
  // The port was just free again, so nobody listens there.
  assertFailed(await outgoing.request(post(url(resetting))), "unreachable");
  const unknown = await outgoing.request(post("https://no-such-name.longwave.test/"));
  assert.match(assertFailed(unknown, "unreachable"), /does not resolve/);
});

test("a body that arrives byte by byte is cut at the deadline, and the answer stays valid", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(drip));
  });
  const result = await outgoing.request(post(url(receiver), { deadlineMs: 1_000 }));
  const answer = assertAnswer(result);
  assert.equal(answer.status, 200);
  assert.equal(answer.cutBy, "deadline");
  assert.ok(answer.truncated);
  assert.match(answer.body.toString(), /^\.{1,60}$/);
  assert.ok(answer.latencyMs < 900, "the latency is that of the headers");
  await receiver.untilNoSockets();
});

test("an endless body is cut at the byte limit and the connection with it", async (t) => {
  const block = Buffer.alloc(65_536, "x");
  const pour = (response: ServerResponse): void => {
    while (!response.destroyed && response.write(block));
    if (!response.destroyed) response.once("drain", () => pour(response));
  };
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(200);
    pour(response);
  });
  const answer = assertAnswer(await outgoing.request(post(url(receiver), { reuse: true })));
  assert.equal(answer.status, 200);
  assert.equal(answer.cutBy, "bytes");
  assert.equal(answer.body.length, 2_048);
  await receiver.untilNoSockets();
});

test("a body of exactly the limit is whole", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => response.end("y".repeat(2_048)));
  const answer = assertAnswer(await outgoing.request(post(url(receiver))));
  assert.equal(answer.body.length, 2_048);
  assert.equal(answer.truncated, false);
});

test("a body that breaks off keeps the answer", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.socket?.destroy());
  });
  const answer = assertAnswer(await outgoing.request(post(url(receiver))));
  assert.equal(answer.cutBy, "peer");
  assert.equal(answer.body.toString(), "half");
});

test("a compressed answer is not unpacked", async (t) => {
  const receiver = await startReceiver(t, (_request, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(Buffer.of(0x1f, 0x8b, 8, 0)),
  );
  const answer = assertAnswer(await outgoing.request(post(url(receiver))));
  assert.deepEqual([...answer.body], [0x1f, 0x8b, 8, 0]);
});

test("a certificate for another name or address, or from an unknown authority, is unreachable", async (t) => {
  let requestCount = 0;
  const listener: RequestListener = (_request, response) => {
    requestCount += 1;
    response.end("ok");
  };
  const receiver = await startReceiver(t, listener);
  const otherName = await outgoing.request(post(url(receiver, "receiver.elsewhere.test")));
  assert.match(assertFailed(otherName, "unreachable"), /altnames/);

  const elsewhere = await startReceiver(t, listener, { address: OTHER_PUBLIC_ADDRESS });
  const otherAddress = await outgoing.request(
    post(`https://${OTHER_PUBLIC_ADDRESS}:${elsewhere.port}/`),
  );
  assert.match(assertFailed(otherAddress, "unreachable"), /not in the cert's list/);

  const trustsTheUsual = createOutgoing({
    now: () => performance.now(),
    userAgent: "Longwave-Test/1",
    checkAddress: checkAllowingLoopback,
    dnsServers: [dns.address],
  });
  assertFailed(await trustsTheUsual.request(post(url(receiver))), "unreachable");
  assert.equal(requestCount, 0);
});

test("a receiver that speaks no TLS, or no HTTP, is unreachable", async (t) => {
  const chatty = await startRawReceiver(t, (socket) => socket.end("220 smtp ready\r\n"));
  assertFailed(await outgoing.request(post(url(chatty))), "unreachable");
  assertFailed(await outgoing.request(post(chatty.url, { plainHttp: true })), "unreachable");
});

test("a flood of 1xx answers ends the connection", async (t) => {
  const receiver = await startRawReceiver(t, (socket) => {
    const flood = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"), 1);
    socket.on("close", () => clearInterval(flood));
  });
  const result = await outgoing.request(post(receiver.url, { plainHttp: true }));
  assert.match(assertFailed(result, "unreachable"), /informational/);
  await receiver.untilNoSockets();
});

test("a few early hints before the answer are fine", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.end("ok");
  });
  assert.equal(assertAnswer(await outgoing.request(post(url(receiver)))).status, 200);
});

test("headers over 16 KB end the connection, 15 KB are read", async (t) => {
  let bytes = 0;
  const receiver = await startRawReceiver(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nx: ${"h".repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`),
  );
  bytes = 15_000;
  const read = await outgoing.request(post(receiver.url, { plainHttp: true }));
  assert.equal(assertAnswer(read).status, 200);
  for (bytes of [17_000, 10_000_000]) {
    const result = await outgoing.request(post(receiver.url, { plainHttp: true }));
    assert.match(assertFailed(result, "unreachable"), /Headers Overflow/i);
    await receiver.untilNoSockets();
  }
});

test("an aborted signal rejects with its reason, before and during a request", async (t) => {
  const controller = new AbortController();
  const receiver = await startReceiver(t, () => controller.abort(new Error("shutting down")));
  const early = AbortSignal.abort(new Error("stopped early"));
  for (const host of ["receiver.longwave.test", PUBLIC_ADDRESS]) {
    const target = post(url(receiver, host), { signal: early, reuse: true });
    await assert.rejects(outgoing.request(target), /stopped early/);
  }
  assert.equal(receiver.connectionCount, 0);
  const pending = outgoing.request(post(url(receiver), { signal: controller.signal }));
  await assert.rejects(pending, /shutting down/);
  await receiver.untilNoSockets();
});

test("close waits for requests in flight and refuses new ones", async (t) => {
  const own = createTestOutgoing(t, { dnsServers: [dns.address] });
  const arrivals = new EventEmitter();
  const receiver = await startReceiver(t, (_request, response) => arrivals.emit("one", response));
  const pending = own.request(post(url(receiver), { reuse: true }));
  const [response] = (await once(arrivals, "one")) as [ServerResponse];
  const closed = Promise.all([own.close(), own.close()]);
  assertFailed(await own.request(post(url(receiver))), "unreachable");
  response.end("late");
  assert.equal(assertAnswer(await pending).body.toString(), "late");
  await closed;
  await receiver.untilNoSockets();
});
