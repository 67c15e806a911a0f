import assert from "node:assert/strict";
import test from "node:test";
import { startKit } from "../../testing/kit.ts";
import { lockWaits, someoneWaits } from "../../testing/lock-waits.ts";
import { until } from "../../testing/until.ts";
import { createAccount } from "../accounts/index.ts";
import { statement } from "../db/statement.ts";
import { createKey } from "../keys/index.ts";

const lockCounters = statement(
  "lock_for_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update",
);

const IN_HAND_MAX = 2;

test("calls of an account that wait for its lock hold two connections, and keep nobody else from one", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { deps, account } = kit;
  const other = await deps.db.tx((tx) => createAccount(deps, tx, "Other"));
  const { key } = await deps.db.tx((tx) =>
    createKey(deps, tx, other, { mode: "test", name: "test", scopes: null }),
  );
  // More than there are connections for transactions.
  const calls = Array.from({ length: 30 }, (_, index) => index);
  let answers: Promise<{ status: number }[]> = Promise.resolve([]);
  await deps.db.tx(async (tx) => {
    await tx.query(lockCounters, [account.shard, account.id]);
    const make = (index: number) =>
      kit.request("POST", "/v1/customers", { body: { name: `Customer ${index}` } });
    answers = Promise.all(calls.map(make));
    await until(() => someoneWaits(kit));
    const made = await kit.request("POST", "/v1/customers", { key, body: { name: "Ada" } });
    assert.equal(made.status, 201);
    const waiting = await lockWaits(kit);
    assert.ok(waiting <= IN_HAND_MAX, `${waiting} wait for the lock`);
  });
  for (const { status } of await answers) assert.equal(status, 201);
});
