import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { PUBLIC_ADDRESS, startListener } from "../../../../testing/fake-internet.ts";
import type { Destination } from "./connect.ts";
import { type Connections, createConnections } from "./connections.ts";
import { Stop, StoppedError } from "./stop.ts";

interface Bench {
  readonly connections: Connections;
  readonly stop: Stop;
  to(host: string, address?: string): Destination;
}

/** Connections to one listener under any number of names, with small limits. */
async function start(t: TestContext, limits: { origin: number; total: number }): Promise<Bench> {
  const listener = await startListener(t, (socket) => socket.resume());
  const connections = createConnections({
    now: () => performance.now(),
    originConnectionsMax: limits.origin,
    connectionsMax: limits.total,
    async connect({ addresses: [address = ""], port }) {
      if (address === "nowhere") throw new Error("nobody there");
      const socket = connect({ host: PUBLIC_ADDRESS, port });
      socket.on("error", () => {});
      await once(socket, "connect");
      return { socket, address };
    },
  });
  const stop = Stop.atDeadline(10_000);
  t.after(() => {
    stop.clear();
    connections.close();
  });
  return {
    connections,
    stop,
    to: (host, address = "a") => ({
      origin: `http://${host}:${listener.port}`,
      secure: false,
      host,
      port: listener.port,
      addresses: [address],
      hostAllowed: false,
      direct: true,
    }),
  };
}

test("when all connections are taken, an idle one of another origin makes room", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 2, total: 2 });
  const first = await connections.acquire(to("one"), stop, false);
  const second = await connections.acquire(to("one"), stop, false);
  const waiting = connections.acquire(to("two"), stop, false);
  assert.equal(connections.openCount, 2);
  connections.release(first, true);
  const third = await waiting;
  assert.ok(first.socket.destroyed);
  assert.equal(third.origin, to("two").origin);
  assert.equal(connections.openCount, 2);
  connections.release(second, true);
  connections.release(third, true);
});

test("origins rotate when all connections are taken, so one origin does not starve the rest", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 1, total: 1 });
  const order: string[] = [];
  const use = async (host: string): Promise<void> => {
    const connection = await connections.acquire(to(host), stop, false);
    order.push(host);
    connections.release(connection, true);
  };
  const holder = await connections.acquire(to("crowd"), stop, false);
  const all = [use("crowd"), use("crowd"), use("crowd"), use("crowd"), use("lone")];
  connections.release(holder, true);
  await Promise.all(all);
  assert.ok(order.indexOf("lone") <= 1, order.join(" "));
});

test("waiting requests are served in order, when a connection becomes idle or is lost", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 1, total: 9 });
  const held = await connections.acquire(to("one"), stop, false);
  const second = connections.acquire(to("one"), stop, false);
  const third = connections.acquire(to("one"), stop, false);
  connections.release(held, true);
  const passedOn = await second;
  assert.equal(passedOn, held);
  connections.release(passedOn, false);
  const opened = await third;
  assert.notEqual(opened, held);
  assert.ok(!opened.reused);
  connections.release(opened, false);
  assert.equal(connections.openCount, 0);
});

test("a waiting request gets no connection to an address that is not its own", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 1, total: 9 });
  const held = await connections.acquire(to("one", "a"), stop, false);
  const waiting = connections.acquire(to("one", "b"), stop, false);
  connections.release(held, true);
  const opened = await waiting;
  assert.equal(opened.address, "b");
  assert.ok(held.socket.destroyed);
});

test("a failed connection frees its slot for the next waiting request", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 1, total: 1 });
  const failing = Promise.resolve(connections.acquire(to("one", "nowhere"), stop, false));
  const next = connections.acquire(to("one"), stop, false);
  await assert.rejects(failing, /nobody there/);
  assert.equal((await next).address, "a");
  assert.equal(connections.openCount, 1);
});

test("a stopped request leaves the queue", async (t) => {
  const { connections, stop, to } = await start(t, { origin: 1, total: 1 });
  const held = await connections.acquire(to("one"), stop, false);
  const impatient = Stop.atDeadline(20);
  const late = async () => connections.acquire(to("one"), impatient, false);
  await assert.rejects(late, StoppedError);
  const patient = connections.acquire(to("one"), stop, false);
  connections.release(held, true);
  assert.equal(await patient, held);
});
