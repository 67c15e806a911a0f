import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../testing/give-number.ts";
import { type Kit, startKit } from "../../testing/kit.ts";
import { lockWaits, someoneWaits } from "../../testing/lock-waits.ts";
import { until } from "../../testing/until.ts";
import { type AccountRow, createAccount } from "../accounts/index.ts";
import { statement } from "../db/statement.ts";
import { createKey } from "../keys/index.ts";

const lockCounters = statement(
  "lock_for_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update",
);
const IN_HAND_MAX = 2;

async function otherAccount({ deps }: Kit): Promise<{ account: AccountRow; key: string | null }> {
  return deps.db.tx(async (tx) => {
    const account = await createAccount(deps, tx, "Other");
    const made = await createKey(deps, tx, account, { mode: "test", name: "test", scopes: null });
    return { account, key: made.key };
  });
}

const makeCustomers = (kit: Kit, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      kit.request("POST", "/v1/customers", { body: { name: `Customer ${index}` } }),
    ),
  );

test("calls of an account that wait for its lock hold two connections, and keep nobody else from one", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { deps, account } = kit;
  const { key } = await otherAccount(kit);
  let answers: Promise<{ status: number }[]> = Promise.resolve([]);
  await deps.db.tx(async (tx) => {
    await tx.query(lockCounters, [account.shard, account.id]);
    // More than there are connections for transactions.
    answers = makeCustomers(kit, 30);
    await until(() => someoneWaits(kit));
    const made = await kit.request("POST", "/v1/customers", { key, body: { name: "Ada" } });
    assert.equal(made.status, 201);
    const waiting = await lockWaits(kit);
    assert.ok(waiting <= IN_HAND_MAX, `${waiting} wait for the lock`);
  });
  // One that stood before the lock for too long is told so; its turn is handed on all the same.
  for (const { status } of await answers) assert.ok([201, 503].includes(status), `${status}`);
  for (const { status } of await makeCustomers(kit, 5)) assert.equal(status, 201);
});

test("texts of an account that its own calls have locked hold up nobody else's", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { deps, account } = kit;
  const other = await otherAccount(kit);
  const from = await giveNumber(kit);
  const otherFrom = await giveNumber(kit, { phone: "+15005550101", account: other.account });
  const send = (key: string | null, sender: string, idempotencyKey: string) =>
    kit.request("POST", "/v1/messages", {
      key,
      body: { to: "+14155552671", from: sender, body: "Hello" },
      headers: { "idempotency-key": idempotencyKey },
    });
  // What is first asked for takes longest.
  assert.equal((await send(other.key, otherFrom, "first")).status, 201);
  const turns = [
    await deps.transactionTurns.take(account.id),
    await deps.transactionTurns.take(account.id),
  ];
  const own: ReturnType<typeof send>[] = [];
  let isAnswered = false;
  await deps.db.tx(async (tx) => {
    await tx.query(lockCounters, [account.shard, account.id]);
    own.push(send(kit.testKey, from, "one"), send(kit.testKey, from, "two"));
    void Promise.race(own).then(() => {
      isAnswered = true;
    });
    await until(() => someoneWaits(kit));
    const sent = await send(other.key, otherFrom, "other");
    assert.equal(sent.status, 201);
    assert.equal(isAnswered, false, "it waited for none of the texts before it");
  });
  for (const giveBack of turns) giveBack();
  for (const { status } of await Promise.all(own)) assert.equal(status, 201);
  const again = await send(kit.testKey, from, "one");
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  const texts = await kit.rows("select 1 from messages where account_id = $1", [account.id]);
  assert.equal(texts.length, 2);
});
