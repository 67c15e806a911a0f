import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { makeReceiptsDue } from "../../../testing/due-receipts.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { until } from "../../../testing/until.ts";
import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { WorkerIdentity } from "../../core/queue/lane.ts";
import { prepareSimulated } from "./prepare.ts";
import { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";

let kit: Kit;
/** Accounts are locked in the order of their ids: the busy one comes last. */
let first: AccountRow;
let second: AccountRow;
let busy: AccountRow;
const takeDowns: (() => Promise<void>)[] = [];

before(async () => {
  kit = await startKit({ after: (one) => void takeDowns.push(one) }, {}, { lanes: [] });
  first = kit.account;
  second = await inShard(first.shard);
  busy = await inShard(first.shard);
});
after(async () => {
  await assertMessagesWhole(kit.rows);
  for (const takeDown of takeDowns.reverse()) await takeDown();
});

async function inShard(shard: number): Promise<AccountRow> {
  for (;;) {
    const made = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Other"));
    if (made.shard === shard) return made;
  }
}

const lock = statement(
  "lock_busy_account_for_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update nowait",
);

/** A sent message with a due receipt. */
async function sendTo(account: AccountRow): Promise<string> {
  const text = prepareSimulated(kit.deps, {
    account,
    mode: "test",
    from: "+15005550100",
    to: "+14155552671",
    body: "Hello",
    customerId: null,
    poolId: null,
  });
  await kit.deps.messageWriter.add(text);
  await makeReceiptsDue(kit);
  return text.row.id;
}

async function statusOf(id: string): Promise<string> {
  const [row] = await kit.rows("select status from messages where id = $1", [id]);
  return row.status;
}

test("receipts of a locked account delay no other account", async () => {
  const accounts = [first, second, busy];
  const ids: string[] = [];
  for (const account of accounts) ids.push(await sendTo(account));
  const [ofFirst = "", ofSecond = "", ofBusy = ""] = ids;
  let bringing: Promise<number> = Promise.resolve(0);
  await kit.deps.db.tx(async (tx) => {
    await tx.query(lock, [busy.shard, busy.id]);
    bringing = simulatedReceiptsLane.runDue(
      kit.deps,
      {} as WorkerIdentity,
      new AbortController().signal,
    );
    await until(() => someoneWaits(kit));
    // These accounts are not locked meanwhile: their messages would be written at once.
    for (const { shard, id } of [first, second]) {
      await kit.deps.db.tx((other) => other.query(lock, [shard, id]));
    }
    assert.equal(await statusOf(ofFirst), "delivered");
    assert.equal(await statusOf(ofSecond), "delivered");
    assert.equal(await statusOf(ofBusy), "sent");
  });
  assert.equal(await bringing, accounts.length);
  assert.equal(await statusOf(ofBusy), "delivered", "it is waited for, and not passed over");
  assert.deepEqual(await kit.rows("select 1 from due_receipts"), []);
  const told = await kit.rows(
    `select account_id, array_agg(seq order by seq) as numbers from events
      where type in ('message.sent', 'message.delivered') group by account_id`,
  );
  assert.equal(told.length, accounts.length);
  for (const { numbers } of told) assert.equal(numbers.length, 2);
});
