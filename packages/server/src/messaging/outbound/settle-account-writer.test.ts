import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive, secondAccount } from "../../../testing/live.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { SubmitOutcome } from "../../network/carriers/index.ts";

const lock = statement(
  "lock_for_settle_test",
  "select 1 from account_counters where shard = $1 and account_id = $2 for update",
);

test("outcomes of an account locked by its own calls delay no other account", async (t) => {
  const carriers = createTestCarrier();
  const kit = await startKit(t, {}, { lanes: [], carriers });
  const other = await secondAccount(kit);
  const { deps, account: busy } = kit;
  const answers: ((outcome: SubmitOutcome) => void)[] = [];
  carriers.answers = [() => new Promise((resolve) => answers.push(resolve))];
  const sending: Promise<unknown>[] = [];
  for (const [index, who] of [kit, other].entries()) {
    await goLive(who);
    const from = await giveNumber(kit, {
      phone: `+1415555010${index}`,
      mode: "live",
      senderState: "active",
      account: who.account,
    });
    const body = { to: "+14155552671", from, body: "Hello" };
    sending.push(kit.request("POST", "/v1/messages", { key: who.liveKey, body }));
    await until(() => answers.length === index + 1);
  }
  const statusOf = async (accountId: string) =>
    (await kit.rows("select status from messages where account_id = $1", [accountId]))[0].status;
  const turns = [
    await deps.transactionSlots.acquire(busy.id),
    await deps.transactionSlots.acquire(busy.id),
  ];
  await deps.db.tx(async (tx) => {
    await tx.query(lock, [busy.shard, busy.id]);
    for (const answer of answers) answer(accepted());
    await until(() => someoneWaits(kit));
    await until(async () => (await statusOf(other.account.id)) === "sent");
    assert.equal(await statusOf(busy.id), "queued", "nobody waited for it");
  });
  for (const giveBack of turns) giveBack();
  await Promise.all(sending);
  await until(async () => (await statusOf(busy.id)) === "sent");
  await assertMessagesWhole(kit.rows);
});
