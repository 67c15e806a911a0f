import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { cloneDatabase, testCluster, withAdmin } from "../../testing/cluster.ts";
import { clientClass, connected } from "./client.ts";
import { createHomeGuard } from "./home.ts";
import { createHosts } from "./hosts.ts";

const endOf = (client: pg.ClientBase) => new Promise((resolve) => client.once("end", resolve));

/** As a fail-over or an operator does it: from the side of the server, while no statement is under way. */
async function breakOff(client: pg.ClientBase): Promise<void> {
  const ended = endOf(client);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const terminate = "select pg_terminate_backend($1)";
  await withAdmin(await testCluster(), (admin) => admin.query(terminate, [rows[0]?.pid]));
  await ended;
}

/** An event "error" that nobody listens to is an uncaught exception, of which the test would fail. */
test("a connection that breaks fails who wanted it, and not the process", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const guard = {
    ...createHomeGuard(),
    check: async (client: pg.ClientBase) => {
      await breakOff(client);
      throw new Error("it was looked at when it broke");
    },
  };
  const Client = clientClass({ hosts: createHosts(database.connection), guard }, {});
  await assert.rejects(new Client(database.connection).connect(), /looked at when it broke/);

  const work = connected(database.connection, async (client) => {
    await breakOff(client);
    await client.query("select 1");
  });
  await assert.rejects(work, /not queryable/);
});
