/**
 * SSRF: thousands of hostile URLs and DNS answers must not make us connect to a private address. Canary listeners on
 * the loopback addresses count every connection, and every address that this process tries to reach is recorded.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { type DnsScript, startDnsServer } from "../../../../testing/dns-server.ts";
import {
  checkAllowingLoopback,
  createTestOutgoing,
  OTHER_PUBLIC_ADDRESS,
  PUBLIC_ADDRESS,
  post,
  type Receiver,
  startListener,
  startReceiver,
  watchConnectionAttempts,
} from "../../../../testing/fake-internet.ts";
import { hostileHosts, hostileUrls, privateAddresses } from "../../../../testing/hostile-urls.ts";
import type { OutgoingRequest, OutgoingResult } from "./index.ts";

const TRIES_MIN = 2_000;
const CANARY_ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.255.255.254", "::1"];

const file = { after };
const attempts = watchConnectionAttempts();
let script: DnsScript = () => "nxdomain";
let tryCount = 0;
let deliveredCount = 0;

const dns = await startDnsServer(file, (question) => script(question));
const receiver = await startReceiver(file, (request, response) => {
  request.resume();
  deliveredCount += 1;
  response.end("ok");
});
const canaries = await startCanaries();
const outgoing = createTestOutgoing(file, { dnsServers: [dns.address] });

/** On the receiver's own port: only the address distinguishes a safe connection from a harmful one. */
async function startCanaries(): Promise<Receiver[]> {
  const { port } = receiver;
  const started = await Promise.allSettled(
    CANARY_ADDRESSES.map((address) =>
      startListener(file, (socket) => socket.destroy(), { address, port }),
    ),
  );
  const alive = started.flatMap((canary) => (canary.status === "fulfilled" ? canary.value : []));
  assert.ok(alive.length >= 3, "no canaries, no proof");
  return alive;
}

async function attempt(url: string, more: Partial<OutgoingRequest> = {}): Promise<OutgoingResult> {
  tryCount += 1;
  return await outgoing.request(post(url, { deadlineMs: 3_000, ...more }));
}

async function assertRefused(url: string, more: Partial<OutgoingRequest> = {}): Promise<void> {
  const result = await attempt(url, more);
  assert.equal(result.kind, "failed", url);
  assert.equal(result.kind === "failed" && result.error, "unreachable", url);
}

/** A name of its own for every attempt, so that no attempt profits from another one's cache. */
function freshUrl(label: string): string {
  return `https://${label}.longwave.test:${receiver.port}/`;
}

test("hostile URLs are refused without a connection or a DNS query", async () => {
  const earlier = { attempts: attempts.addresses.length, queries: dns.queryCount };
  for (const url of hostileUrls) await assertRefused(url, { plainHttp: true });
  for (const host of hostileHosts) {
    await assertRefused(`https://${host}:${receiver.port}/`);
    await assertRefused(`http://${host}:${receiver.port}/`, { plainHttp: true, reuse: true });
  }
  const now = { attempts: attempts.addresses.length, queries: dns.queryCount };
  assert.deepEqual(now, earlier);
});

test("a name that leads to a private address is refused, alone, mixed or behind an alias", async () => {
  const shapes: ((address: string) => readonly string[])[] = [
    (address) => [address],
    (address) => [PUBLIC_ADDRESS, address],
    (address) => [address, PUBLIC_ADDRESS],
  ];
  for (const [index, address] of privateAddresses.entries()) {
    for (const [shape, addressesOf] of shapes.entries()) {
      script = () => ({ addresses: addressesOf(address) });
      await assertRefused(freshUrl(`private-${index}-${shape}`));
    }
    script = () => ({ addresses: [address], alias: "metadata.google.internal" });
    await assertRefused(freshUrl(`alias-${index}`));
  }
});

test("answers that alternate between public and private never reach a private address", async () => {
  const inward = ["127.0.0.1", "::1", "169.254.169.254", "127.0.0.2"];
  let round = 0;
  script = ({ type }) => {
    if (type === "A") round += 1;
    const address = round % 2 === 0 ? PUBLIC_ADDRESS : (inward[(round >> 1) % inward.length] ?? "");
    return { addresses: [address], ttlSeconds: 0 };
  };
  const outcomes = { answer: 0, failed: 0 };
  const before = deliveredCount;
  for (let i = 0; i < 400; i += 1) {
    const result = await attempt(freshUrl("rebind"), { reuse: i % 4 < 2 });
    outcomes[result.kind] += 1;
  }
  await Promise.all(
    Array.from({ length: 16 }, async (_, lane) => {
      for (let i = 0; i < 25; i += 1) {
        const result = await attempt(freshUrl(`rebind-${lane}`), { reuse: true });
        outcomes[result.kind] += 1;
      }
    }),
  );
  assert.ok(outcomes.answer > 200 && outcomes.failed > 200, JSON.stringify(outcomes));
  assert.equal(deliveredCount - before, outcomes.answer);
});

test("a name is resolved once per request, so a second answer cannot matter", async () => {
  const asked = new Map<string, number>();
  script = ({ name, type }) => {
    if (type === "AAAA") return { addresses: [] };
    const count = (asked.get(name) ?? 0) + 1;
    asked.set(name, count);
    return { addresses: [count === 1 ? PUBLIC_ADDRESS : "127.0.0.1"], ttlSeconds: 0 };
  };
  for (let i = 0; i < 100; i += 1) {
    assert.equal((await attempt(freshUrl(`twice-${i}`), { reuse: true })).kind, "answer");
    // The kept connection is valid; the name's answer has changed.
    await assertRefused(freshUrl(`twice-${i}`), { reuse: true });
  }
  assert.deepEqual(new Set(asked.values()), new Set([2]));
});

test("a redirect to a private address is refused, hop by hop", async (t) => {
  script = ({ name }) => ({
    addresses: [name.startsWith("inside") ? "127.0.0.1" : PUBLIC_ADDRESS],
  });
  let location = "";
  let status = 301;
  const redirecting = await startReceiver(t, (request, response) => {
    request.resume();
    response.writeHead(status, { location }).end();
  });
  const { port } = receiver;
  const locations = [
    `https://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `//[::1]:${port}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    `https://2130706433:${port}/`,
    `https://inside.longwave.test:${port}/`,
    `https://localhost:${port}/`,
    `\\\\127.0.0.1:${port}\\`,
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
  ];
  for (status of [301, 302, 303, 307, 308]) {
    for (location of locations) {
      const url = `https://outside.longwave.test:${redirecting.port}/`;
      const hop = await attempt(url, { reuse: true });
      assert.ok(hop.kind === "answer" && hop.status === status, JSON.stringify(hop));
      const next = new URL(String(hop.headers["location"]), url).href;
      await assertRefused(next, { plainHttp: true, reuse: true });
    }
  }
});

test("a name with too many addresses, or none, is unreachable", async () => {
  for (const [label, count] of [
    ["sixteen", 16],
    ["seventeen", 17],
    ["thousand", 1_000],
  ] as const) {
    script = ({ type }) => ({
      addresses: type === "A" ? Array.from({ length: count }, () => PUBLIC_ADDRESS) : [],
    });
    if (count === 16) assert.equal((await attempt(freshUrl(label))).kind, "answer");
    else await assertRefused(freshUrl(label));
  }
  script = () => null;
  const startedAtMs = performance.now();
  await assertRefused(freshUrl("silence"));
  assert.ok(performance.now() - startedAtMs < 2_900, "given up before the deadline");
  const early = await attempt(freshUrl("silence-too"), { deadlineMs: 100 });
  assert.equal(early.kind === "failed" && early.error, "timeout");
});

test("one address family without an answer does not hide the other", async () => {
  script = ({ type }) => (type === "A" ? { addresses: [PUBLIC_ADDRESS] } : "nxdomain");
  assert.equal((await attempt(freshUrl("only-four"))).kind, "answer");
});

test("the connected address is checked before a byte is written", async (t) => {
  attempts.stop();
  let bytes = 0;
  const elsewhere = await startListener(
    t,
    (socket) => socket.on("data", (data: Buffer) => (bytes += data.length)),
    { address: "127.0.0.1" },
  );
  // The kernel takes 0.0.0.0 for this host, so the socket is connected to 127.0.0.1.
  const misled = createTestOutgoing(t, {
    checkAddress: (address) => (address === "0.0.0.0" ? null : checkAllowingLoopback(address)),
  });
  for (const scheme of ["http", "https"]) {
    const url = `${scheme}://0.0.0.0:${elsewhere.port}/`;
    const result = await misled.request(post(url, { plainHttp: true }));
    assert.match(result.kind === "failed" ? result.detail : "", /reached 127\.0\.0\.1/);
  }
  await elsewhere.untilNoSockets();
  assert.equal(elsewhere.connectionCount, 2);
  assert.equal(bytes, 0);
});

test("no canary was reached, and only public addresses were attempted", async () => {
  assert.ok(tryCount >= TRIES_MIN, `only ${tryCount} tries`);
  const strangers = attempts.addresses.filter(
    (address) => address !== PUBLIC_ADDRESS && address !== OTHER_PUBLIC_ADDRESS,
  );
  assert.deepEqual(strangers, []);
  for (const canary of canaries) assert.equal(canary.connectionCount, 0);
  // A canary that cannot be reached proves nothing.
  const socket = connect({ host: "127.0.0.1", port: receiver.port });
  await once(socket, "close");
  assert.equal(canaries[0]?.connectionCount, 1);
});
