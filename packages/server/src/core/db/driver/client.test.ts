import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { cloneDatabase, testCluster, withAdmin } from "../../../../testing/cluster.ts";
import { clientClass, connected } from "./client.ts";
import { createIdentityGuard } from "./database-identity.ts";
import { createHosts } from "./hosts.ts";

const endOf = (client: pg.ClientBase) => new Promise((resolve) => client.once("end", resolve));

/** Ends connections on the server side while they are idle, as a fail-over or an operator does. */
async function breakOff(client: pg.ClientBase): Promise<void> {
  const ended = endOf(client);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const terminate = "select pg_terminate_backend($1)";
  await withAdmin(await testCluster(), (admin) => admin.query(terminate, [rows[0]?.pid]));
  await ended;
}

/** An unhandled `error` event would be an uncaught exception and fail the test. */
test("a broken connection fails its caller, not the process", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const guard = {
    ...createIdentityGuard(),
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
