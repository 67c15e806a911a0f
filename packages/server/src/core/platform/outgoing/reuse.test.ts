/** Kept connections: reuse, refusal of reuse, and limits. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { startDnsServer } from "../../../../testing/dns-server.ts";
import {
  createTestOutgoing,
  OTHER_PUBLIC_ADDRESS,
  PUBLIC_ADDRESS,
  post,
  type Scope,
  startListener,
  startReceiver,
  watchConnectionAttempts,
} from "../../../../testing/fake-internet.ts";
import { ORIGIN_CONNECTIONS_MAX, type Outgoing, type OutgoingRequest } from "./index.ts";

const reply =
  (text: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.end(text);
  };

async function bodyOf(outgoing: Outgoing, request: OutgoingRequest): Promise<string> {
  const result = await outgoing.request(request);
  assert.equal(result.kind, "answer", JSON.stringify(result));
  return result.kind === "answer" ? result.body.toString() : "";
}

test("a kept connection serves the next request, and only when asked to", async (t) => {
  const dns = await startDnsServer(t, () => ({ addresses: [PUBLIC_ADDRESS] }));
  const receiver = await startReceiver(t, reply("ok"));
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address] });
  const target = post(`https://receiver.longwave.test:${receiver.port}/`, { reuse: true });
  for (let i = 0; i < 5; i += 1) assert.equal(await bodyOf(outgoing, target), "ok");
  assert.equal(receiver.connectionCount, 1);
  await bodyOf(outgoing, { ...target, reuse: false });
  assert.equal(receiver.connectionCount, 2);
  // Another name at the same address needs a certificate check of its own.
  await bodyOf(outgoing, { ...target, url: `https://longwave.test:${receiver.port}/` });
  assert.equal(receiver.connectionCount, 3);
  await outgoing.close();
  await receiver.untilNoSockets();
});

test("a kept connection is closed once DNS no longer names its address", async (t) => {
  let addresses = [PUBLIC_ADDRESS];
  const dns = await startDnsServer(t, () => ({ addresses }));
  const first = await startReceiver(t, reply("first"));
  const second = await startReceiver(t, reply("second"), {
    address: OTHER_PUBLIC_ADDRESS,
    port: first.port,
  });
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address] });
  const target = post(`https://receiver.longwave.test:${first.port}/`, { reuse: true });

  assert.equal(await bodyOf(outgoing, target), "first");
  addresses = [OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS];
  assert.equal(await bodyOf(outgoing, target), "first");
  assert.equal(first.connectionCount, 1);
  addresses = [OTHER_PUBLIC_ADDRESS];
  assert.equal(await bodyOf(outgoing, target), "second");
  await first.untilNoSockets();
  addresses = ["127.0.0.1"];
  const refused = await outgoing.request(target);
  assert.equal(
    refused.kind,
    "failed",
    "an answer that is not public closes the connection at once",
  );
  assert.equal(second.connectionCount, 1);

  await outgoing.close();
});

test("a DNS answer is shared until its TTL has passed, then queried again", async (t) => {
  let ttlSeconds = 60;
  const dns = await startDnsServer(t, () => ({ addresses: [PUBLIC_ADDRESS], ttlSeconds }));
  const receiver = await startReceiver(t, reply("ok"));
  let nowMs = 0;
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address], now: () => nowMs });
  const target = post(`https://receiver.longwave.test:${receiver.port}/`, { reuse: true });
  const queriesFor = async (count: number): Promise<number> => {
    const before = dns.queryCount;
    await Promise.all(Array.from({ length: count }, () => bodyOf(outgoing, target)));
    return dns.queryCount - before;
  };
  assert.equal(await queriesFor(10), 2, "one query per address family for ten requests");
  assert.equal(await queriesFor(10), 0);
  nowMs += 5_000;
  ttlSeconds = 0;
  assert.equal(await queriesFor(1), 2, "five seconds are the most, whatever the TTL says");
  assert.equal(await queriesFor(1), 2, "a TTL of 0 is not kept at all");
  await outgoing.close();
});

test("a connection closed by the receiver while idle does not fail a request", async (t) => {
  const receiver = await startReceiver(t, reply("ok"));
  const outgoing = createTestOutgoing(t);
  const target = post(`https://${PUBLIC_ADDRESS}:${receiver.port}/`, { reuse: true });
  for (let i = 0; i < 20; i += 1) {
    assert.equal(await bodyOf(outgoing, target), "ok");
    for (const socket of receiver.sockets) socket.destroy();
  }
  await outgoing.close();
});

test("a kept connection lost before the answer is replaced once, a new one is not", async (t) => {
  const requests: string[] = [];
  let answersLeft = 1;
  const receiver = await startReceiver(
    t,
    (request, response) => {
      requests.push(request.url ?? "");
      request.resume();
      answersLeft -= 1;
      if (answersLeft < 0) request.socket.destroy();
      else response.end("ok");
    },
    { plain: true },
  );
  const outgoing = createTestOutgoing(t);
  const to = (path: string) =>
    post(`http://${PUBLIC_ADDRESS}:${receiver.port}${path}`, { reuse: true, plainHttp: true });
  await bodyOf(outgoing, to("/1"));
  assert.equal((await outgoing.request(to("/2"))).kind, "failed");
  assert.equal((await outgoing.request(to("/3"))).kind, "failed");
  assert.deepEqual(requests, ["/1", "/2", "/2", "/3"]);
  await outgoing.close();
});

test("bytes after a response never answer the next request", async (t) => {
  let extra = "";
  const receiver = await startListener(t, (socket) => {
    socket.on("data", (request) => {
      const isFirst = String(request).startsWith("POST /first ");
      const body = isFirst ? "first!" : "second";
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n${body}${isFirst ? extra : ""}`);
    });
  });
  const outgoing = createTestOutgoing(t);
  const to = (path: string) =>
    post(`http://${PUBLIC_ADDRESS}:${receiver.port}${path}`, { reuse: true, plainHttp: true });
  for (extra of ["\r\n", "x", "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged"]) {
    assert.equal(await bodyOf(outgoing, to("/first")), "first!");
    assert.equal(await bodyOf(outgoing, to("/second")), "second");
  }
});

test("a request that must arrive once is never sent twice, and its failure says whether it may have arrived", async (t) => {
  let requestCount = 0;
  const receiver = await startReceiver(t, (request, response) => {
    requestCount += 1;
    request.resume();
    if (requestCount === 2) response.socket?.destroy();
    else response.end("ok");
  });
  const outgoing = createTestOutgoing(t);
  const url = `https://${PUBLIC_ADDRESS}:${receiver.port}/`;
  const target = post(url, { reuse: true, once: true });
  assert.equal(await bodyOf(outgoing, target), "ok");
  const lost = await outgoing.request(target);
  assert.deepEqual([lost.kind, "isSent" in lost && lost.isSent, requestCount], ["failed", true, 2]);
  assert.equal(await bodyOf(outgoing, target), "ok");

  assert.equal(await outgoing.reach({ url, deadlineMs: 2_000 }), null);
  assert.equal(requestCount, 3, "to reach is not to ask");
  await receiver.close();
  for (const unreachable of [url, "https://127.0.0.1/", "http://example.com/"]) {
    const refused = await outgoing.request({ ...target, url: unreachable, reuse: false });
    assert.deepEqual([refused.kind, "isSent" in refused && refused.isSent], ["failed", false]);
    assert.equal(typeof (await outgoing.reach({ url: unreachable, deadlineMs: 2_000 })), "string");
  }
});

test("one origin gets at most its share of connections, and its other requests queue", async (t) => {
  const held: (() => void)[] = [];
  const receiver = await startReceiver(t, (request, response) => {
    request.resume();
    held.push(() => response.end("ok"));
    if (held.length === ORIGIN_CONNECTIONS_MAX) for (const release of held) release();
    else if (held.length > ORIGIN_CONNECTIONS_MAX) response.end("ok");
  });
  const outgoing = createTestOutgoing(t);
  const target = post(`https://${PUBLIC_ADDRESS}:${receiver.port}/`, { reuse: true });
  const bodies = await Promise.all(
    Array.from({ length: ORIGIN_CONNECTIONS_MAX * 3 }, () => bodyOf(outgoing, target)),
  );
  assert.equal(bodies.length, ORIGIN_CONNECTIONS_MAX * 3);
  assert.equal(receiver.connectionCount, ORIGIN_CONNECTIONS_MAX);
  await outgoing.close();
  await receiver.untilNoSockets();
});

test("a crowded origin times out by itself and leaves the others alone", async (t) => {
  const hanging = await startReceiver(t, () => {});
  const healthy = await startReceiver(t, reply("ok"));
  const outgoing = createTestOutgoing(t);
  const stuck = Array.from({ length: ORIGIN_CONNECTIONS_MAX * 2 }, () =>
    outgoing.request(
      post(`https://${PUBLIC_ADDRESS}:${hanging.port}/`, { reuse: true, deadlineMs: 1_000 }),
    ),
  );
  const fine = post(`https://${PUBLIC_ADDRESS}:${healthy.port}/`, { reuse: true });
  assert.equal(await bodyOf(outgoing, fine), "ok");
  for (const result of await Promise.all(stuck)) {
    assert.equal(result.kind === "failed" && result.error, "timeout");
  }
  assert.equal(await bodyOf(outgoing, fine), "ok");
  await outgoing.close();
  await Promise.all([hanging.untilNoSockets(), healthy.untilNoSockets()]);
});

test("an address that drops packets delays a request a little, then the next address is used", async (t) => {
  if (process.platform !== "linux") return t.skip("needs all of 127.0.0.0/8");
  const dns = await startDnsServer(t, () => ({
    addresses: [OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS],
  }));
  const blackHole = await startBlackHole(t, OTHER_PUBLIC_ADDRESS);
  const receiver = await startReceiver(t, reply("ok"), { port: blackHole.port });
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address] });
  const opened = watchConnectionAttempts();
  const result = await outgoing.request(post(`https://receiver.longwave.test:${receiver.port}/`));
  opened.stop();
  assert.equal(result.kind, "answer");
  assert.ok(result.latencyMs >= 245 && result.latencyMs < 4_000, String(result.latencyMs));
  assert.deepEqual(opened.addresses, [OTHER_PUBLIC_ADDRESS, PUBLIC_ADDRESS]);
  assert.ok(opened.sockets.every((socket) => socket.destroyed));
  await outgoing.close();
});

/** A listener that is stopped with a full queue: further packets to it get no answer at all. */
async function startBlackHole(scope: Scope, address: string): Promise<{ port: number }> {
  const program = `require("node:net").createServer().listen({ port: 0, host: "${address}", backlog: 1 },
    function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const fillers: Socket[] = [];
  scope.after(() => {
    for (const filler of fillers) filler.destroy();
    child.kill("SIGKILL");
  });
  const [line] = await once(child.stdout, "data");
  const port = Number(String(line));
  child.kill("SIGSTOP");
  while (!(await hasUnanswered(port))) {
    const filler = connect({ host: address, port });
    filler.on("error", () => {});
    fillers.push(filler);
    // On one machine a connection is established within the call, or its packet was dropped.
    await once(filler, "connectionAttempt");
  }
  return { port };
}

const SYN_SENT = "02";

/** Whether the kernel waits for an answer to a connection to this port. */
async function hasUnanswered(port: number): Promise<boolean> {
  const there = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const table = await readFile("/proc/net/tcp", "utf8");
  return table.split("\n").some((line) => {
    const [, , remote = "", state] = line.trim().split(/\s+/);
    return remote.endsWith(there) && state === SYN_SENT;
  });
}
