import assert from "node:assert/strict";
import test from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { PROFILES } from "../../core/db/driver/profiles.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { warmUpLists } from "./warm-up.ts";

const CONNECTIONS = PROFILES.lists.sharedConnections;

const plannedLists = statement(
  "test_planned_lists",
  `select pg_backend_pid() as pid, count(*)::int as lists from pg_prepared_statements where name like 'list_messages%'`,
  { profile: "lists" },
);

/** Number of planned list statements per connection, keyed by backend process. */
async function plannedBy(kit: Kit): Promise<Map<number, number>> {
  const planned = new Map<number, number>();
  for (let turn = 0; turn < CONNECTIONS; turn += 1) {
    const [row] = await kit.deps.db.query<{ pid: number; lists: number }>(plannedLists, []);
    if (row) planned.set(row.pid, row.lists);
  }
  return planned;
}

test("list statements are planned on every connection at the start, and on connections opened later", async (t) => {
  const kit = await startKit(t);
  const { id } = await kit.api.customers.create({ name: "Acme" });
  await warmUpLists(kit.deps);
  const planned = await plannedBy(kit);
  assert.equal(planned.size, CONNECTIONS);
  for (const [pid, lists] of planned) assert.ok(lists > 0, `${pid} has planned nothing`);

  const number = encodeURIComponent("+14155552671");
  for (const query of [
    "",
    "status=failed",
    "direction=inbound",
    `number=${number}`,
    `customer_id=${id}`,
    `status=delivered&number=${number}`,
    `status=queued&customer_id=${id}`,
  ]) {
    for (let turn = 0; turn < CONNECTIONS; turn += 1) {
      assert.equal((await kit.request("GET", `/v1/messages?${query}`)).status, 200);
    }
    assert.deepEqual(await plannedBy(kit), planned, `${query} was not planned before`);
  }

  const [broken, lists] = [...planned][0] as [number, number];
  await kit.rows("select pg_terminate_backend($1::int)", [broken]);
  await until(async () => {
    // Queries on the broken connection fail meanwhile.
    const planned = await plannedBy(kit).catch(() => new Map<number, number>());
    return (
      planned.size === CONNECTIONS &&
      !planned.has(broken) &&
      [...planned.values()].every((n) => n === lists)
    );
  });
});
