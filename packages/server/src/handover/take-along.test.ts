import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { makeReceiptsDue } from "../../testing/due-receipts.ts";
import { type Kit, startKit } from "../../testing/kit.ts";
import { type AccountRow, createAccount } from "../accounts/index.ts";
import { statement } from "../db/statement.ts";
import type { WorkerIdentity } from "../queue/lane.ts";
import type { Rider } from "./accept.ts";
import { composeSimulated } from "./compose.ts";
import { simulatedReceiptsLane } from "./simulated-receipts-lane.ts";
import type { Composed } from "./stages.ts";

let kit: Kit;
let other: AccountRow;
const takeDowns: (() => Promise<void>)[] = [];

before(async () => {
  kit = await startKit({ after: (one) => void takeDowns.push(one) }, {}, { lanes: [] });
  do {
    other = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Other"));
  } while (other.shard !== kit.account.shard);
});
after(async () => {
  for (const takeDown of takeDowns.reverse()) await takeDown();
});

function textOf(account: AccountRow): Composed {
  return composeSimulated(kit.deps, {
    account,
    mode: "test",
    from: "+15005550100",
    to: "+14155552671",
    body: "Hello",
    customerId: null,
    poolId: null,
  });
}

/** Leaves a row behind, by which it is known in which transaction it ran. */
const leaveRow = statement(
  "leave_row",
  `insert into due_receipts (shard, due_at, id, account_id, message_ids)
   values ($1, '2100-01-01', gen_random_uuid(), $2, '{}')`,
);
const fail = statement("fail_always", "select 1 / ($1::integer - $1::integer), $2::uuid");

const riderOf = (account: AccountRow, step = leaveRow) => ({
  shard: account.shard,
  accountId: account.id,
  step: { statement: step, values: [account.shard, account.id] },
  waiting: 1,
});

async function isStored({ row }: Composed): Promise<boolean> {
  return (await kit.rows("select 1 from messages where id = $1", [row.id])).length === 1;
}

test("a step goes along with texts of its account, in one transaction, and alone where there are none", async () => {
  const { messageWriter } = kit.deps;
  const text = textOf(kit.account);
  const [accepted, rode] = await Promise.all([
    messageWriter.add(text),
    messageWriter.takeAlong(riderOf(kit.account)),
  ]);
  assert.equal(accepted.verdict, "accepted");
  assert.deepEqual(rode, []);
  const transactions = await kit.rows(
    `select xmin::text from messages where id = $1
      union all select xmin::text from due_receipts where due_at = '2100-01-01'`,
    [text.row.id],
  );
  assert.equal(transactions.length, 2);
  assert.equal(transactions[0].xmin, transactions[1].xmin, "both in one transaction");
  assert.deepEqual(await messageWriter.takeAlong(riderOf(kit.account)), [], "alone");
});

test("a step does not go along with texts of several accounts, which are accepted", async () => {
  const { messageWriter } = kit.deps;
  const texts = [textOf(kit.account), textOf(other)];
  const [rode, ...accepted] = await Promise.all([
    messageWriter.takeAlong(riderOf(kit.account)),
    ...texts.map((text) => messageWriter.add(text)),
  ]);
  assert.equal(rode, null);
  assert.deepEqual(
    accepted.map((one) => one.verdict),
    ["accepted", "accepted"],
  );
  for (const text of texts) assert.ok(await isStored(text));
});

test("a step that fails keeps no text from being accepted, once", async () => {
  const { messageWriter } = kit.deps;
  const texts = [textOf(kit.account), textOf(kit.account), textOf(kit.account)];
  const [rode, ...accepted] = await Promise.allSettled([
    messageWriter.takeAlong(riderOf(kit.account, fail)),
    ...texts.map((text) => messageWriter.add(text)),
  ]);
  assert.equal(rode.status, "rejected");
  for (const one of accepted) assert.equal(one.status, "fulfilled");
  for (const text of texts) assert.ok(await isStored(text));
});

test("a step is left to its owner when too many texts wait", async () => {
  const { messageWriter } = kit.deps;
  const results = await Promise.allSettled([
    ...Array.from({ length: 5_000 }, () => messageWriter.takeAlong(riderOf(kit.account))),
    messageWriter.takeAlong(riderOf(kit.account)),
  ]);
  assert.deepEqual(results.at(-1), { status: "fulfilled", value: null });
});

test("receipts of an account that is sending go along with its texts, those of others by themselves", async () => {
  await kit.rows("delete from due_receipts");
  const busy = Array.from({ length: 20 }, () => textOf(kit.account));
  const quiet = Array.from({ length: 3 }, () => textOf(other));
  await Promise.all(busy.map((text) => kit.deps.messageWriter.add(text)));
  await Promise.all(quiet.map((text) => kit.deps.messageWriter.add(text)));
  await makeReceiptsDue(kit);
  const taken: string[] = [];
  const takeAlong = (rider: Rider) => {
    taken.push(rider.accountId);
    return kit.deps.messageWriter.takeAlong(rider);
  };
  const deps = { ...kit.deps, messageWriter: { ...kit.deps.messageWriter, takeAlong } };
  const signal = new AbortController().signal;
  await simulatedReceiptsLane.runDue(deps, {} as WorkerIdentity, signal);
  assert.deepEqual(taken, [kit.account.id]);
  const ids = [...busy, ...quiet].map(({ row }) => row.id);
  const moved = await kit.rows(
    "select count(*)::int as texts from messages where id = any ($1) and status = 'delivered'",
    [ids],
  );
  assert.deepEqual(moved, [{ texts: ids.length }]);
  assert.deepEqual(await kit.rows("select 1 from due_receipts"), []);
});
