import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { until } from "../../../testing/until.ts";
import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { createKey } from "../../account/keys/index.ts";
import { statement } from "../../core/db/driver/statement.ts";

const lockCounters = statement(
  "lock_for_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update",
);

async function otherAccount({ deps }: Kit): Promise<{ account: AccountRow; key: string | null }> {
  return deps.db.tx(async (tx) => {
    const account = await createAccount(deps, tx, "Other");
    const made = await createKey(deps, tx, account, { mode: "test", name: "test", scopes: null });
    return { account, key: made.key };
  });
}

const makeCustomers = (kit: Kit, count: number, key: string | null) =>
  Array.from({ length: count }, (_, index) =>
    kit.request("POST", "/v1/customers", { key, body: { name: `Customer ${index}` } }),
  );

test("an account has two open transactions at a time, and its others block no other account", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { transactionSlots: turns } = kit.deps;
  const { key } = await otherAccount(kit);
  // The first call takes longest: plans and caches.
  await Promise.all(makeCustomers(kit, 1, key));
  const first = await turns.acquire(kit.account.id);
  assert.equal(turns.isFull(kit.account.id), false);
  const second = await turns.acquire(kit.account.id);
  assert.equal(turns.isFull(kit.account.id), true);
  // More calls than there are connections for transactions.
  const waiting = makeCustomers(kit, 12, kit.testKey);
  let isAnswered = false;
  void Promise.race(waiting).then(() => {
    isAnswered = true;
  });
  for (const { status } of await Promise.all(makeCustomers(kit, 12, key)))
    assert.equal(status, 201);
  assert.equal(isAnswered, false, "both turns are taken");
  first();
  second();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 201);
  assert.equal(turns.isFull(kit.account.id), false, "every turn is given back");
});

test("messages of an account locked by its own calls delay no other account's", async (t) => {
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
  // The first call takes longest: plans and caches.
  assert.equal((await send(other.key, otherFrom, "first")).status, 201);
  const turns = [
    await deps.transactionSlots.acquire(account.id),
    await deps.transactionSlots.acquire(account.id),
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
