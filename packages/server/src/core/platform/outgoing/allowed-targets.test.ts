/** LONGWAVE_ALLOW_TARGETS and the proxy, over real sockets. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { startDnsServer } from "../../../../testing/dns-server.ts";
import {
  createTestOutgoing,
  PUBLIC_ADDRESS,
  post,
  type Receiver,
  type Scope,
  startReceiver,
} from "../../../../testing/fake-internet.ts";
import { createOutgoing, type OutgoingResult, parseAllowTargets } from "./index.ts";

function statusOf(result: OutgoingResult): number | string {
  return result.kind === "answer" ? result.status : result.error;
}

async function startPrivateReceiver(t: Scope, plain = true): Promise<Receiver> {
  return await startReceiver(t, (_request, response) => response.end("ok"), {
    address: "127.0.0.1",
    plain,
  });
}

test("an allowed CIDR opens plain http to private addresses, and to nothing else", async (t) => {
  const receiver = await startPrivateReceiver(t);
  const options = { now: () => performance.now(), userAgent: "Longwave-Test/1" };
  const strict = createOutgoing(options);
  const open = createOutgoing({ ...options, allowTargets: parseAllowTargets("127.0.0.1/32") });
  const url = `http://127.0.0.1:${receiver.port}/`;
  assert.ok(!strict.checkUrl(url).ok);
  assert.equal(statusOf(await strict.request(post(url))), "unreachable");
  assert.ok(open.checkUrl(url).ok);
  assert.equal(statusOf(await open.request(post(url))), 200);
  assert.equal(
    statusOf(await open.request(post(`http://localhost:${receiver.port}/`))),
    "unreachable",
  );
  assert.equal(
    statusOf(await open.request(post(`http://127.0.0.2:${receiver.port}/`))),
    "unreachable",
  );
  assert.equal(receiver.connectionCount, 1);
});

test("an allowed host:port resolves through the system, and is allowed on that port alone", async (t) => {
  const receiver = await startPrivateReceiver(t);
  const other = await startPrivateReceiver(t);
  const outgoing = createOutgoing({
    now: () => performance.now(),
    userAgent: "Longwave-Test/1",
    allowTargets: parseAllowTargets(`localhost:${receiver.port}`),
  });
  const target = post(`http://localhost:${receiver.port}/`, { reuse: true });
  assert.equal(statusOf(await outgoing.request(target)), 200);
  assert.equal(statusOf(await outgoing.request(target)), 200);
  assert.equal(receiver.connectionCount, 1);
  assert.equal(
    statusOf(await outgoing.request(post(`http://localhost:${other.port}/`))),
    "unreachable",
  );
  assert.equal(
    statusOf(await outgoing.request(post(`http://127.0.0.1:${receiver.port}/`))),
    "unreachable",
  );
  assert.equal(other.connectionCount, 0);
  await outgoing.close();
});

test("a public name may resolve into an allowed CIDR over https", async (t) => {
  const dns = await startDnsServer(t, () => ({ addresses: ["127.0.0.1"] }));
  const receiver = await startPrivateReceiver(t, false);
  const allowTargets = parseAllowTargets("127.0.0.0/8");
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address], allowTargets });
  const url = `https://receiver.longwave.test:${receiver.port}/`;
  assert.equal(statusOf(await outgoing.request(post(url))), 200);
  await outgoing.close();
});

interface TestProxy {
  readonly url: string;
  readonly connects: { target: string; authorization: string | undefined }[];
}

async function startProxy(scope: Scope, options: { refuse?: boolean } = {}): Promise<TestProxy> {
  const connects: TestProxy["connects"] = [];
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? "";
    connects.push({ target, authorization: request.headers["proxy-authorization"] });
    client.on("error", () => {});
    if (options.refuse === true) {
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const [host, port] = target.split(":");
    const upstream = connect({ host: host ?? "", port: Number(port) }, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://us%65r:p%40ss@127.0.0.1:${port}`, connects };
}

test("a proxy is asked for the checked address, and TLS is verified by name", async (t) => {
  const dns = await startDnsServer(t, ({ name }) => ({
    addresses: [name.startsWith("inside") ? "127.0.0.1" : PUBLIC_ADDRESS],
  }));
  const proxy = await startProxy(t);
  const receiver = await startReceiver(t, (_request, response) => response.end("ok"));
  const outgoing = createTestOutgoing(t, { dnsServers: [dns.address], proxyUrl: proxy.url });
  const { port } = receiver;
  const good = post(`https://receiver.longwave.test:${port}/`, { reuse: true });
  assert.equal(statusOf(await outgoing.request(good)), 200);
  assert.equal(statusOf(await outgoing.request(good)), 200);
  const wrongName = post(`https://receiver.elsewhere.test:${port}/`);
  assert.equal(statusOf(await outgoing.request(wrongName)), "unreachable");
  const inside = post(`https://inside.longwave.test:${port}/`);
  assert.equal(statusOf(await outgoing.request(inside)), "unreachable");
  const authorization = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  const tunnel = { target: `${PUBLIC_ADDRESS}:${port}`, authorization };
  assert.deepEqual(proxy.connects, [tunnel, tunnel]);
  await outgoing.close();
  await receiver.untilNoSockets();
});

test("plain http goes through the tunnel too, allowed private targets bypass the proxy", async (t) => {
  const proxy = await startProxy(t);
  const website = await startReceiver(t, (_request, response) => response.end("ok"), {
    plain: true,
  });
  const local = await startPrivateReceiver(t);
  const outgoing = createTestOutgoing(t, {
    proxyUrl: proxy.url,
    allowTargets: parseAllowTargets("127.0.0.1/32"),
  });
  const page = post(`http://${PUBLIC_ADDRESS}:${website.port}/`, { plainHttp: true });
  assert.equal(statusOf(await outgoing.request(page)), 200);
  assert.equal(proxy.connects.length, 1);
  assert.equal(statusOf(await outgoing.request(post(`http://127.0.0.1:${local.port}/`))), 200);
  assert.equal(proxy.connects.length, 1);
  await outgoing.close();
});

test("a proxy that refuses, or is not there, is unreachable; a wrong URL stops the start", async (t) => {
  const proxy = await startProxy(t, { refuse: true });
  const target = post(`https://${PUBLIC_ADDRESS}:8443/`);
  const refusing = createTestOutgoing(t, { proxyUrl: proxy.url });
  const refused = await refusing.request(target);
  assert.match(refused.kind === "failed" ? refused.detail : "", /the proxy said 403/);
  const gone = createTestOutgoing(t, { proxyUrl: "http://127.0.0.1:1" });
  assert.equal(statusOf(await gone.request(target)), "unreachable");
  await gone.close();
  for (const proxyUrl of ["", "proxy:3128", "socks5://proxy:1080", "http://proxy:3128/path"]) {
    assert.throws(() => createTestOutgoing(t, { proxyUrl }), /must be given as http:\/\/host:port/);
  }
});
