import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { until } from "../../../../testing/until.ts";
import { type Clock, systemClock } from "../clock.ts";
import { createLog } from "../log.ts";
import { createFrameReader, FRAME_BYTES_MAX, frameOf } from "./frames.ts";
import { createPeers, NotSent, type PeerLink, PeerLost, PeerRefusal, type Peers } from "./index.ts";
import { helloOf } from "./messages.ts";
import { ownersOf } from "./owners.ts";

const log = createLog({ level: "silent" });
const BUILD = "one";

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lw-peers-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function peersOf(t: TestContext, build = BUILD, clock: Clock = systemClock()): Peers {
  const peers = createPeers({ classes: 1, build, clock, log });
  t.after(() => peers.close());
  return peers;
}

/** An owner that handles items, and the link of another process to it. */
async function pair(t: TestContext, handle: (kind: string, item: unknown) => Promise<unknown>) {
  const path = join(await folderOf(t), "owner.sock");
  const owner = peersOf(t);
  const describeError = (error: unknown) => (error as Error).message;
  await owner.serve({ path, handle, describeError });
  const other = peersOf(t);
  other.announce([{ id: "owner", path }], null);
  const link = other.ownerOf(0) as PeerLink;
  await until(() => link.isReady());
  return { path, owner, other, link };
}

test("an owner answers each item by itself, in any order", async (t) => {
  const gates = new Map<unknown, () => void>();
  const { link } = await pair(t, async (kind, item) => {
    await new Promise<void>((resolve) => gates.set(item, resolve));
    if (item === "bad") throw new Error("bad item");
    return { kind, item };
  });
  const answers: unknown[] = [];
  const asked = ["a", "bad", "ü"].map((item) =>
    link.ask("echo", item).then(
      (answer) => answers.push(answer),
      (error) => answers.push(error),
    ),
  );
  await until(() => gates.size === 3);
  for (const item of ["ü", "bad", "a"]) {
    const before = answers.length;
    gates.get(item)?.();
    await until(() => answers.length > before);
  }
  await Promise.all(asked);
  assert.deepEqual(
    [answers[0], answers[2]],
    [
      { kind: "echo", item: "ü" },
      { kind: "echo", item: "a" },
    ],
  );
  assert.ok(answers[1] instanceof PeerRefusal);
  assert.equal(answers[1].described, "bad item");
});

test("an owner that stops answers what it has received, and takes nothing new", async (t) => {
  let answer: ((result: string) => void) | null = null;
  const { owner, link } = await pair(t, () => new Promise((resolve) => (answer = resolve)));
  let isHandled = false;
  const asked = link.ask("echo", 1).then((result) => {
    isHandled = true;
    return result;
  });
  await until(() => answer !== null);
  const closing = owner.close();
  await until(() => !link.isReady());
  assert.equal(isHandled, false);
  (answer as unknown as (result: string) => void)("late");
  assert.equal(await asked, "late");
  await closing;
  await assert.rejects(link.ask("echo", 2), NotSent);
});

test("items without an answer are lost when the owner dies; unsent ones are not sent", async (t) => {
  const path = join(await folderOf(t), "dead.sock");
  const sockets: Socket[] = [];
  let received = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.write(frameOf(helloOf(BUILD)) as Buffer);
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.on("error", () => {});
  }).listen(path);
  t.after(() => void server.close());
  const peers = peersOf(t);
  peers.announce([{ id: "dead", path }], null);
  const link = peers.ownerOf(0) as PeerLink;
  await until(() => link.isReady());
  const lost = assert.rejects(link.ask("echo", "sent"), PeerLost);
  const hello = (frameOf(helloOf(BUILD)) as Buffer).length;
  await until(() => received > hello);
  for (const socket of sockets) socket.destroy();
  await lost;
  await until(() => !link.isReady());
  await assert.rejects(link.ask("echo", "unsent"), NotSent);
});

test("a peer that answers nothing gets no new items, and is given up", async (t) => {
  const path = join(await folderOf(t), "hanging.sock");
  const server = createServer((socket) => {
    socket.write(frameOf(helloOf(BUILD)) as Buffer);
    socket.resume().on("error", () => {});
  }).listen(path);
  t.after(() => void server.close());
  let aheadMs = 0;
  const real = systemClock();
  const clock = { ...real, monotonic: () => real.monotonic() + aheadMs };
  const peers = peersOf(t, BUILD, clock);
  peers.announce([{ id: "hanging", path }], null);
  const link = peers.ownerOf(0) as PeerLink;
  await until(() => link.isReady());
  const lost = assert.rejects(link.ask("echo", 1), PeerLost);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(link.isReady(), true);
  aheadMs = 1_100;
  assert.equal(link.isReady(), false);
  aheadMs = 6_100;
  await lost;
});

test("a peer that answers some items and never one of them is given up", async (t) => {
  const path = join(await folderOf(t), "trickling.sock");
  const server = createServer((socket) => {
    socket.write(frameOf(helloOf(BUILD)) as Buffer);
    const read = createFrameReader();
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      for (const frame of read(chunk)) {
        const { requests = [] } = frame as { requests?: [number, string, unknown][] };
        const answered = requests.filter(([, , item]) => item !== "never");
        const replies = answered.map(([id, , item]) => [id, item, null]);
        if (replies.length > 0) socket.write(frameOf({ replies }) as Buffer);
      }
    });
  }).listen(path);
  t.after(() => void server.close());
  let aheadMs = 0;
  const real = systemClock();
  const clock = { ...real, monotonic: () => real.monotonic() + aheadMs };
  const peers = peersOf(t, BUILD, clock);
  peers.announce([{ id: "trickling", path }], null);
  const link = peers.ownerOf(0) as PeerLink;
  await until(() => link.isReady());
  let isLost = false;
  const lost = assert.rejects(link.ask("echo", "never"), PeerLost).then(() => {
    isLost = true;
  });
  for (; aheadMs < 14_000; aheadMs += 900) {
    assert.equal(await link.ask("echo", aheadMs), aheadMs);
    assert.equal(link.isReady(), true);
  }
  assert.equal(isLost, false);
  aheadMs = 15_100;
  await lost;
});

test("a peer that reads nothing gets no new items once 8 MiB wait for it", async (t) => {
  const path = join(await folderOf(t), "unread.sock");
  const server = createServer((socket) => {
    socket.write(frameOf(helloOf(BUILD)) as Buffer);
    socket.pause().on("error", () => {});
    t.after(() => void socket.destroy());
  }).listen(path);
  t.after(() => void server.close());
  let aheadMs = 0;
  const real = systemClock();
  const clock = { ...real, monotonic: () => real.monotonic() + aheadMs };
  const peers = peersOf(t, BUILD, clock);
  peers.announce([{ id: "unread", path }], null);
  const link = peers.ownerOf(0) as PeerLink;
  await until(() => link.isReady());
  const large = "x".repeat(1_024 * 1_024);
  const asked: Promise<unknown>[] = [];
  for (let count = 0; count < 16 && link.isReady(); count += 1) {
    asked.push(link.ask("echo", large).catch((error: Error) => error.name));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(link.isReady(), false);
  assert.ok(asked.length < 16, `${asked.length} items of 1 MiB`);
  aheadMs = 6_100;
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(["PeerLost"]));
});

test("garbage ends the connection it came from, and no other", async (t) => {
  const { path, link } = await pair(t, async (_, item) => item);
  const hello = frameOf(helloOf(BUILD)) as Buffer;
  const garbage: readonly Buffer[] = [
    Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    Buffer.from([0, 0, 0, 0]),
    Buffer.from([0, 0, 0, 2, 0x7b, 0x7b]),
    frameOf(helloOf("two")) as Buffer,
    frameOf(null) as Buffer,
    Buffer.concat([hello, frameOf({ requests: 1 }) as Buffer]),
    Buffer.concat([hello, frameOf({ requests: [[1]] }) as Buffer]),
    Buffer.concat([hello, frameOf([]) as Buffer]),
  ];
  for (const bytes of garbage) {
    const socket = connect(path);
    socket.on("error", () => {}).resume();
    socket.write(bytes);
    await once(socket, "close");
  }
  assert.equal(await link.ask("echo", "still here"), "still here");
});

test("a peer that sends garbage, or is of another build, gets no items", async (t) => {
  const folder = await folderOf(t);
  const hello = frameOf(helloOf(BUILD)) as Buffer;
  const openings = [
    Buffer.from("HTTP/1.1 200 OK\r\n\r\n"),
    frameOf(helloOf("two")) as Buffer,
    Buffer.concat([hello, frameOf({ replies: [[1, null]] }) as Buffer]),
  ];
  for (const [index, opening] of openings.entries()) {
    const path = join(folder, `${index}.sock`);
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {}).end(opening);
    }).listen(path);
    t.after(() => void server.close());
    const peers = peersOf(t);
    peers.announce([{ id: "bad", path }], null);
    const link = peers.ownerOf(0) as PeerLink;
    await until(() => connections === 1);
    await until(() => !link.isReady());
    await assert.rejects(link.ask("echo", 1), (error) => {
      return error instanceof NotSent || error instanceof PeerLost;
    });
  }
});

test("frames arrive whole however the bytes are split", () => {
  const values = [{ text: "ü" }, [], "x".repeat(70_000), 0];
  const bytes = Buffer.concat(values.map((value) => frameOf(value) as Buffer));
  for (const size of [1, 3, 5, 4_096, bytes.length]) {
    const read = createFrameReader();
    const got: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size)
      got.push(...read(bytes.subarray(at, at + size)));
    assert.deepEqual(got, values);
  }
  assert.equal(frameOf("x".repeat(FRAME_BYTES_MAX)), null);
});

test("members own equal shares, and one that leaves moves few of the others' classes", () => {
  const members = Array.from({ length: 8 }, (_, id) => ({ id: String(id), path: `/${id}` }));
  const owners = ownersOf(64, members);
  assert.deepEqual(owners, ownersOf(64, [...members].reverse()), "the order does not matter");
  for (const { id } of members) {
    assert.equal(owners.filter((owner) => owner === id).length, 8);
  }
  const without = ownersOf(64, members.slice(1));
  const moved = owners.filter((owner, index) => owner !== "0" && owner !== without[index]);
  assert.ok(moved.length < 28, `${moved.length} of 56 moved`);
});
