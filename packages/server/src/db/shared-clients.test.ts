import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../testing/cluster.ts";
import { startFaultProxy } from "../../testing/fault-proxy.ts";
import { sharedClients } from "./shared-clients.ts";

const CONNECT_MS = 1_000;

/** One connection, through a proxy that swallows everything at first. */
async function inTheHole(t: TestContext) {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  proxy.set("black-hole");
  const config = { ...proxy.connection, connectionTimeoutMillis: CONNECT_MS };
  const clients = sharedClients(pg.Client, config, 1);
  t.after(() => clients.close());
  return { proxy, clients };
}

describe("connections that many share", () => {
  it("whoever comes after the fault has one, though another waits for an attempt of before", async (t) => {
    const { proxy, clients } = await inTheHole(t);
    const before = clients.next();
    before.catch(() => {});
    // Its first bytes are swallowed before anything is answered again.
    await new Promise((resolve) => setTimeout(resolve, CONNECT_MS / 4));
    proxy.set("none");
    const after = await clients.next();
    await assert.rejects(before, /timeout/);
    assert.deepEqual((await after.query("select 1 as one")).rows, [{ one: 1 }]);
    assert.equal(await clients.next(), after);
  });

  it("nobody waits longer for it than for an attempt of their own", async (t) => {
    const { clients } = await inTheHole(t);
    const startedAt = performance.now();
    const before = clients.next();
    before.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, CONNECT_MS / 2));
    const joinedAt = performance.now();
    await assert.rejects(clients.next(), /timeout/);
    const waitedMs = performance.now() - joinedAt;
    assert.ok(waitedMs >= CONNECT_MS - 10, `given up after ${Math.round(waitedMs)} ms`);
    assert.ok(waitedMs < 2 * CONNECT_MS - CONNECT_MS / 4, `waited ${Math.round(waitedMs)} ms`);
    assert.ok(performance.now() - startedAt < 2 * CONNECT_MS + CONNECT_MS / 4);
  });
});
