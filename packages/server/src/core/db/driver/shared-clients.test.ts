import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase } from "../../../../testing/cluster.ts";
import { startFaultProxy } from "../../../../testing/fault-proxy.ts";
import { sharedClients } from "./shared-clients.ts";

const CONNECT_MS = 1_000;
/** Enough microtasks and ticks for all work that a timer starts in this process. */
const TURNS = 20;

/**
 * One connection, started through a proxy that swallows everything. The test advances the time.
 */
async function inTheHole(t: TestContext) {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  proxy.set("black-hole");
  const config = { ...proxy.connection, connectionTimeoutMillis: CONNECT_MS };
  const clients = sharedClients(pg.Client, config, 1);
  t.after(() => clients.close());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turns = 0; turns < TURNS; turns += 1) await nextTurn();
  };
  const before = clients.next();
  before.catch(() => {});
  // The proxy swallowed the first bytes before it recovered.
  while (proxy.swallowedBytes() === 0) await nextTurn();
  return { proxy, clients, before, pass };
}

describe("shared connections", () => {
  it("a caller after the outage gets a connection while an earlier attempt still hangs", async (t) => {
    const { proxy, clients, before, pass } = await inTheHole(t);
    await pass(CONNECT_MS / 4);
    proxy.set("none");
    const after = clients.next();
    await pass((CONNECT_MS * 3) / 4);
    await assert.rejects(before, /timeout/);
    assert.deepEqual((await (await after).query("select 1 as one")).rows, [{ one: 1 }]);
    assert.equal(await clients.next(), await after);
  });

  it("no caller waits longer than a fresh attempt would take", async (t) => {
    const { clients, before, pass } = await inTheHole(t);
    await pass(CONNECT_MS / 2);
    let isGivenUp = false;
    const joined = assert.rejects(clients.next(), /timeout/).then(() => {
      isGivenUp = true;
    });
    await pass(CONNECT_MS / 2);
    await assert.rejects(before, /timeout/);
    await pass(CONNECT_MS / 2 - 1);
    assert.equal(isGivenUp, false, "it has as much time as an attempt of its own");
    await pass(1);
    await joined;
  });
});
