/** What receivers do to us, over real sockets and real TLS. */
import assert from "node:assert/strict";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { startDnsServer } from "../../../testing/dns-server.ts";
import {
  createTestOutgoing,
  DEAD_PUBLIC_ADDRESS,
  judgeWithPublicLoopback,
  OTHER_PUBLIC_ADDRESS,
  PUBLIC_ADDRESS,
  post,
  type Receiver,
  startListener,
  startReceiver,
} from "../../../testing/outside-world.ts";
import { createOutgoing, type OutgoingResult } from "./index.ts";

const dns = await startDnsServer((question) => {
  if (question.name === "dead-then-alive.longwave.test") {
    return { addresses: [DEAD_PUBLIC_ADDRESS, PUBLIC_ADDRESS] };
  }
  if (question.name === "six.longwave.test") return { addresses: ["::1"] };
  return question.name.startsWith("no-such") ? "nxdomain" : { addresses: [PUBLIC_ADDRESS] };
});
const outgoing = createTestOutgoing({ dnsServers: [dns.address] });
after(async () => {
  await outgoing.close();
  await dns.close();
});

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

async function withReceiver(
  listener: RequestListener,
  run: (receiver: Receiver) => Promise<void>,
): Promise<void> {
  const receiver = await startReceiver(listener);
  try {
    await run(receiver);
  } finally {
    await receiver.close();
  }
}

async function withRawReceiver(
  onSocket: (socket: Socket) => void,
  run: (url: string, receiver: Receiver) => Promise<void>,
): Promise<void> {
  const receiver = await startListener((socket) => {
    // Unread, a socket would not notice that the other side has left.
    socket.resume();
    onSocket(socket);
  });
  try {
    await run(`http://${PUBLIC_ADDRESS}:${receiver.port}/`, receiver);
  } finally {
    await receiver.close();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

test("a request arrives byte for byte, with our name and without compression", async () => {
  let seen: { body: string; request: IncomingMessage } | null = null;
  await withReceiver(
    async (request, response) => {
      seen = { body: await readBody(request), request };
      response.writeHead(200, { "x-one": "1", "set-cookie": ["a=1", "b=2"] }).end("fine");
    },
    async (receiver) => {
      const headers = { "content-type": "application/json", "svc-event-id": "evt_1" };
      const result = await outgoing.request(post(url(receiver), { headers, body: '{"é":1}' }));
      const answer = assertAnswer(result);
      assert.equal(answer.status, 200);
      assert.equal(answer.body.toString(), "fine");
      assert.equal(answer.truncated, false);
      assert.equal(answer.headers["x-one"], "1");
      assert.deepEqual(answer.headers["set-cookie"], ["a=1", "b=2"]);
      assert.ok(answer.latencyMs > 0 && answer.latencyMs < 5_000);
      assert.ok(seen !== null);
      assert.equal(seen.body, '{"é":1}');
      assert.equal(seen.request.method, "POST");
      assert.equal(seen.request.url, "/hook?a=1");
      assert.equal(seen.request.headers["host"], `receiver.longwave.test:${receiver.port}`);
      assert.equal(seen.request.headers["user-agent"], "Longwave-Test/1");
      assert.equal(seen.request.headers["accept-encoding"], "identity");
      assert.equal(seen.request.headers["svc-event-id"], "evt_1");
      assert.equal(seen.request.headers["content-length"], "8");
      assert.equal(seen.request.headers["connection"], "close");
      await receiver.untilNoSockets();
    },
  );
});

test("every legitimate spelling of a receiver is delivered over TLS", async () => {
  await withReceiver(
    (_request, response) => response.end("ok"),
    async (receiver) => {
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
    },
  );
});

test("an IPv6 receiver is reached by name and by address", async (t) => {
  const receiver = await startReceiver((_request, response) => response.end("six"), {
    address: "::1",
  }).catch(() => null);
  if (receiver === null) return t.skip("this machine has no IPv6 loopback");
  const six = createTestOutgoing({ dnsServers: [dns.address], judgeAddress: () => null });
  for (const host of ["six.longwave.test", "[::1]"]) {
    const result = await six.request(post(`https://${host}:${receiver.port}/`));
    assert.equal(assertAnswer(result).body.toString(), "six");
  }
  await six.close();
  await receiver.close();
});

test("errors and redirects are answers, and nobody follows a redirect", async () => {
  for (const status of [500, 404, 429, 301, 302, 303, 307, 308]) {
    await withReceiver(
      (_request, response) =>
        response.writeHead(status, { location: "https://elsewhere.longwave.test/" }).end("no"),
      async (receiver) => {
        const answer = assertAnswer(await outgoing.request(post(url(receiver))));
        assert.equal(answer.status, status);
        assert.equal(answer.headers["location"], "https://elsewhere.longwave.test/");
        assert.equal(receiver.connectionCount, 1);
      },
    );
  }
});

test("a receiver that never answers is a timeout at the deadline", async () => {
  await withReceiver(
    () => {},
    async (receiver) => {
      const startedAtMs = performance.now();
      const result = await outgoing.request(post(url(receiver), { deadlineMs: 200 }));
      assertFailed(result, "timeout");
      assert.ok(performance.now() - startedAtMs < 1_000);
      assert.ok(result.latencyMs >= 195, String(result.latencyMs));
      await receiver.untilNoSockets();
    },
  );
});

test("a receiver that accepts the connection and says nothing to TLS is a timeout", async () => {
  const silent = await startListener((socket) => socket.resume());
  const result = await outgoing.request(post(url(silent), { deadlineMs: 200 }));
  assertFailed(result, "timeout");
  await silent.untilNoSockets();
  await silent.close();
});

test("a reset, a refused connection and an unknown name are unreachable", async () => {
  const resetting = await startListener((socket) =>
    socket.once("data", () => socket.resetAndDestroy()),
  );
  assertFailed(await outgoing.request(post(url(resetting))), "unreachable");
  await resetting.close();
  // The port was just free again, so nobody listens there.
  assertFailed(await outgoing.request(post(url(resetting))), "unreachable");
  const unknown = await outgoing.request(post("https://no-such-name.longwave.test/"));
  assert.match(assertFailed(unknown, "unreachable"), /does not resolve/);
});

test("a body that comes a byte at a time is cut at the deadline and the answer stays good", async () => {
  const timers = new Set<NodeJS.Timeout>();
  await withReceiver(
    (_request, response) => {
      response.writeHead(200);
      timers.add(setInterval(() => response.write("."), 20));
    },
    async (receiver) => {
      const result = await outgoing.request(post(url(receiver), { deadlineMs: 300 }));
      const answer = assertAnswer(result);
      assert.equal(answer.status, 200);
      assert.equal(answer.cutBy, "deadline");
      assert.ok(answer.truncated);
      assert.match(answer.body.toString(), /^\.{2,20}$/);
      assert.ok(answer.latencyMs < 250, "the latency is that of the headers");
      await receiver.untilNoSockets();
    },
  );
  for (const timer of timers) clearInterval(timer);
});

test("an endless body is cut at the byte limit and the connection with it", async () => {
  const block = Buffer.alloc(65_536, "x");
  const pour = (response: ServerResponse): void => {
    while (!response.destroyed && response.write(block));
    if (!response.destroyed) response.once("drain", () => pour(response));
  };
  await withReceiver(
    (_request, response) => {
      response.writeHead(200, { "content-length": String(1_000_000_000) });
      pour(response);
    },
    async (receiver) => {
      const answer = assertAnswer(await outgoing.request(post(url(receiver), { reuse: true })));
      assert.equal(answer.status, 200);
      assert.equal(answer.cutBy, "bytes");
      assert.equal(answer.body.length, 2_048);
      await receiver.untilNoSockets();
    },
  );
});

test("a body of exactly the limit is whole", async () => {
  await withReceiver(
    (_request, response) => response.end("y".repeat(2_048)),
    async (receiver) => {
      const answer = assertAnswer(await outgoing.request(post(url(receiver))));
      assert.equal(answer.body.length, 2_048);
      assert.equal(answer.truncated, false);
    },
  );
});

test("a body that breaks off keeps the answer", async () => {
  await withReceiver(
    (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.socket?.destroy());
    },
    async (receiver) => {
      const answer = assertAnswer(await outgoing.request(post(url(receiver))));
      assert.equal(answer.cutBy, "peer");
      assert.equal(answer.body.toString(), "half");
    },
  );
});

test("a compressed answer is not unpacked", async () => {
  await withReceiver(
    (_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(Buffer.of(0x1f, 0x8b, 8, 0)),
    async (receiver) => {
      const answer = assertAnswer(await outgoing.request(post(url(receiver))));
      assert.deepEqual([...answer.body], [0x1f, 0x8b, 8, 0]);
    },
  );
});

test("a certificate for another name, or from nobody we know, is unreachable", async () => {
  let requests = 0;
  await withReceiver(
    (_request, response) => {
      requests += 1;
      response.end("ok");
    },
    async (receiver) => {
      const otherName = await outgoing.request(post(url(receiver, "receiver.elsewhere.test")));
      assert.match(assertFailed(otherName, "unreachable"), /altnames/);
      const otherAddress = await startReceiver((_request, response) => response.end("ok"), {
        address: OTHER_PUBLIC_ADDRESS,
      });
      const byAddress = `https://${OTHER_PUBLIC_ADDRESS}:${otherAddress.port}/`;
      assert.match(assertFailed(await outgoing.request(post(byAddress)), "unreachable"), /IP/);
      await otherAddress.close();

      const usual = createOutgoing({
        now: () => performance.now(),
        userAgent: "Longwave-Test/1",
        judgeAddress: judgeWithPublicLoopback,
        dnsServers: [dns.address],
      });
      assertFailed(await usual.request(post(url(receiver))), "unreachable");
      await usual.close();
    },
  );
  assert.equal(requests, 0);
});

test("a receiver that speaks no TLS, or no HTTP, is unreachable", async () => {
  const chatty = await startListener((socket) => socket.end("220 smtp ready\r\n"));
  assertFailed(await outgoing.request(post(url(chatty))), "unreachable");
  await chatty.close();
  await withRawReceiver(
    (socket) => socket.end("220 smtp ready\r\n"),
    async (target) => {
      const result = await outgoing.request(post(target, { plainHttp: true }));
      assertFailed(result, "unreachable");
    },
  );
});

test("a flood of 1xx answers is hung up on", async () => {
  await withRawReceiver(
    (socket) => {
      const flood = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"), 1);
      socket.on("close", () => clearInterval(flood));
    },
    async (target, receiver) => {
      const result = await outgoing.request(post(target, { plainHttp: true }));
      assert.match(assertFailed(result, "unreachable"), /informational/);
      await receiver.untilNoSockets();
    },
  );
});

test("a few early hints before the answer are fine", async () => {
  await withReceiver(
    (_request, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end("ok");
    },
    async (receiver) => {
      assert.equal(assertAnswer(await outgoing.request(post(url(receiver)))).status, 200);
    },
  );
});

test("headers over 16 KB are hung up on, 15 KB are read", async () => {
  for (const [bytes, fine] of [
    [15_000, true],
    [17_000, false],
    [10_000_000, false],
  ] as const) {
    await withRawReceiver(
      (socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nx: ${"h".repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`),
      async (target, receiver) => {
        const result = await outgoing.request(post(target, { plainHttp: true }));
        if (fine) assert.equal(assertAnswer(result).status, 200);
        else assert.match(assertFailed(result, "unreachable"), /Headers Overflow/i);
        await receiver.untilNoSockets();
      },
    );
  }
});

test("an aborted signal rejects with its reason, before and during a request", async () => {
  await withReceiver(
    () => {},
    async (receiver) => {
      const early = AbortSignal.abort(new Error("stopped early"));
      await assert.rejects(
        outgoing.request(post(url(receiver), { signal: early })),
        /stopped early/,
      );
      const controller = new AbortController();
      const pending = outgoing.request(post(url(receiver), { signal: controller.signal }));
      setTimeout(() => controller.abort(new Error("shutting down")), 50);
      await assert.rejects(pending, /shutting down/);
      await receiver.untilNoSockets();
    },
  );
});

test("close waits for requests under way and refuses new ones", async () => {
  const own = createTestOutgoing({ dnsServers: [dns.address] });
  await withReceiver(
    (_request, response) => setTimeout(() => response.end("late"), 100),
    async (receiver) => {
      const pending = own.request(post(url(receiver), { reuse: true }));
      const closed = own.close();
      assertFailed(await own.request(post(url(receiver))), "unreachable");
      assert.equal(assertAnswer(await pending).body.toString(), "late");
      await closed;
      await receiver.untilNoSockets();
    },
  );
});
