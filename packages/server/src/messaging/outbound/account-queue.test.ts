import assert from "node:assert/strict";
import test from "node:test";
import { makeReceiptsDue } from "../../../testing/due-receipts.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { until } from "../../../testing/until.ts";
import type { AccountRow } from "../../account/accounts/index.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { stripeOf } from "../../core/db/driver/stripes.ts";
import { createAccountQueue, type WriteKind } from "./account-queue.ts";
import { prepareSimulated } from "./prepare.ts";

const lock = statement(
  "lock_for_queue_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update",
);

const nothing = statement("nothing_for_queue_test", "select $1::integer as shard");

function messageOf({ deps }: Kit, account: AccountRow) {
  return prepareSimulated(deps, {
    account,
    mode: "test",
    from: "+15005550100",
    to: "+14155552671",
    body: "Hello",
    customerId: null,
    poolId: null,
  });
}

/** An account that the same writer serves. */
async function accountBeside(kit: Kit, first: AccountRow): Promise<AccountRow> {
  for (;;) {
    const { account } = await secondAccount(kit);
    const isSame = stripeOf(account.id) % 2 === stripeOf(first.id) % 2;
    if (isSame && account.shard === first.shard) return account;
  }
}

async function dueReceiptsOf(kit: Kit) {
  await makeReceiptsDue(kit);
  const [row] = await kit.rows("select id, shard, account_id from due_receipts");
  return { shard: row.shard, accountId: row.account_id, ids: [row.id], messages: 1 };
}

test("messages and receipts that wait for one account share a commit", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  if (kit.deps.db.isDistributed) return t.skip("a commit on Citus has one call");
  const { account, deps } = kit;
  await deps.messageWriter.add(messageOf(kit, account));
  const receipts = await dueReceiptsOf(kit);
  const writing: Promise<unknown>[] = [];
  await deps.db.tx(async (tx) => {
    await tx.query(lock, [account.shard, account.id]);
    writing.push(deps.messageWriter.add(messageOf(kit, account)));
    await until(() => someoneWaits(kit));
    writing.push(deps.messageWriter.add(messageOf(kit, account)), deps.dueReceipts.add(receipts));
  });
  assert.equal((await Promise.all(writing)).at(-1), "applied");
  const rows = await kit.rows("select status, xmin::text as transaction from messages order by id");
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["delivered", "sent", "sent"],
  );
  const [delivered, first, second] = rows.map(({ transaction }) => transaction);
  assert.equal(delivered, second, "the receipt and the message that waited with it");
  assert.notEqual(first, second);
  await assertMessagesWhole(kit.rows);
});

test("a second write of an account queues behind the first, and waits for no lock itself", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  if (kit.deps.db.isDistributed) return t.skip("waiting sessions of Citus are on the workers");
  const { account, deps } = kit;
  const waiting = async () => {
    const [{ sessions }] = await kit.rows(
      `select count(*)::int as sessions from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return sessions;
  };
  const writing: Promise<unknown>[] = [];
  await deps.db.tx(async (tx) => {
    await tx.query(lock, [account.shard, account.id]);
    writing.push(deps.messageWriter.add(messageOf(kit, account)));
    await until(async () => (await waiting()) === 1);
    // Enough items for another pipeline beside the first.
    for (let count = 0; count < 20; count += 1) {
      writing.push(deps.messageWriter.add(messageOf(kit, account)));
    }
    for (let look = 0; look < 20; look += 1) assert.equal(await waiting(), 1);
  });
  await Promise.all(writing);
  await assertMessagesWhole(kit.rows);
});

test("a write of several accounts and kinds moves the messages of all of them", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { deps } = kit;
  const others = [await accountBeside(kit, kit.account), await accountBeside(kit, kit.account)];
  const accounts = [kit.account, ...others];
  await Promise.all(accounts.map((one) => deps.messageWriter.add(messageOf(kit, one))));
  await makeReceiptsDue(kit);
  const due = await kit.rows("select id, shard, account_id from due_receipts");
  const written = await Promise.all([
    ...accounts.map((one) => deps.messageWriter.add(messageOf(kit, one))),
    ...due.map((row) =>
      deps.dueReceipts.add({
        shard: row.shard,
        accountId: row.account_id,
        ids: [row.id],
        messages: 1,
      }),
    ),
  ]);
  assert.equal(written.length, 6);
  const [counts] = await kit.rows(
    `select count(*) filter (where status = 'delivered')::int as delivered,
            count(*) filter (where status = 'sent')::int as sent from messages`,
  );
  assert.deepEqual(counts, { delivered: 3, sent: 3 });
  await assertMessagesWhole(kit.rows);
});

test("an account with thousands of waiting messages delays another by two commits at most", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { deps, account: busy } = kit;
  const other = await accountBeside(kit, busy);
  let busyDone = 0;
  const writing = Array.from({ length: 3_000 }, () =>
    deps.messageWriter.add(messageOf(kit, busy)).then(() => {
      busyDone += 1;
    }),
  );
  await until(() => busyDone > 0);
  const before = busyDone;
  await deps.messageWriter.add(messageOf(kit, other));
  assert.ok(busyDone - before <= 1_200, `${busyDone - before} messages of the busy account`);
  await Promise.all(writing);
  await assertMessagesWhole(kit.rows);
});

test("a message does not wait for the receipts of its account that wait already", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { account, deps } = kit;
  const order: string[] = [];
  const receipts = Array.from({ length: 20 }, () => ({
    ...{ shard: account.shard, accountId: account.id },
    ids: [deps.ids.make()],
    messages: 250,
  }));
  const writing = receipts.map((one) =>
    deps.dueReceipts.add(one).then(() => order.push("receipts")),
  );
  writing.push(deps.messageWriter.add(messageOf(kit, account)).then(() => order.push("message")));
  await Promise.all(writing);
  assert.ok(order.indexOf("message") <= 3, `after ${order.indexOf("message")} chunks`);
});

/** A kind whose items are the ids of their accounts. */
function kindOf(
  shard: number,
  limits: Pick<WriteKind<string, string>, "name" | "itemsWaitingMax" | "accountItemsWaitingMax">,
): WriteKind<string, string> {
  return {
    ...limits,
    ownerOf: (accountId) => ({ shard, accountId }),
    writeApart: async (accountId) => accountId,
    plan: (of, items) => ({
      lock: [],
      write: { statement: nothing, values: [of] },
      follow: [],
      resultsOf: () => items,
    }),
  };
}

/** Adds the items together; returns each result, or the name of its error. */
async function outcomes(writing: readonly Promise<string>[]): Promise<string[]> {
  const results = await Promise.allSettled(writing);
  return results.map((one) => (one.status === "fulfilled" ? one.value : one.reason.name));
}

test("a kind refuses items beyond its limit, and accepts others", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { shard, id } = kit.account;
  const queue = createAccountQueue(kit.deps);
  const one = queue.attach(kindOf(shard, { name: "one", itemsWaitingMax: 2 }));
  const other = queue.attach(kindOf(shard, { name: "other", itemsWaitingMax: 2 }));
  assert.deepEqual(await outcomes([one.add(id), one.add(id), one.add(id), other.add(id)]), [
    id,
    id,
    "GroupFull",
    id,
  ]);
});

test("an account at its limit leaves room for others, and for itself later", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { shard, id } = kit.account;
  const { account: other } = await secondAccount(kit);
  const limits = { name: "shared", itemsWaitingMax: 3, accountItemsWaitingMax: 2 };
  const queue = createAccountQueue(kit.deps).attach(kindOf(shard, limits));
  const together = [id, id, id, other.id].map((item) => queue.add(item));
  assert.deepEqual(await outcomes(together), [id, id, "GroupFull", other.id]);
  assert.equal(await queue.add(id), id);
});
