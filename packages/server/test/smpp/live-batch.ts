import assert from "node:assert/strict";
import { makeBatch } from "../../testing/batches.ts";
import type { Kit } from "../../testing/kit.ts";
import { SMPP_FROM, type SmppStage } from "../../testing/smpp-stage.ts";

/** Credit that suffices for all of these tests. */
export const CREDIT_USD = 100;
const PRICE_USD = 0.009;

/** Sends a live batch from an account without free messages. */
export async function sendLiveBatch(
  { kit }: SmppStage,
  to: readonly string[],
  from: string = SMPP_FROM,
): Promise<{ id: string }> {
  await kit.rows("update accounts set daily_message_quota = 1000000");
  await useUpAllowance(kit);
  return makeBatch(kit, to, { from }, { key: kit.liveKey });
}

/** Uses up the free messages of the current month, also after an advance into it. */
export async function useUpAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date",
    [new Date(kit.deps.clock.now())],
  );
}

/** Asserts that no phone got two messages, and that outstanding submits never exceeded the window. */
export function assertOnce({ smsc }: Pick<SmppStage, "smsc">, window: number): void {
  const seen = new Set<string>();
  const twice = smsc.journal.taken().flatMap(({ to }) => {
    const isAgain = seen.has(to);
    seen.add(to);
    return isAgain ? [to] : [];
  });
  assert.deepEqual(twice, [], "phones with two accepted messages");
  const most = smsc.journal.mostOutstanding();
  assert.ok(most <= window, `${most} were outstanding in a window of ${window}`);
}

/** Asserts that the balance and the ledger match the price of `texts` messages. */
export async function assertPaid(kit: Kit, texts: number): Promise<void> {
  const [row] = await kit.rows(
    `select c.balance_micros, c.reserved_micros,
            (select coalesce(sum(amount_micros), 0)::bigint from ledger_entries where kind = 'message') as ledger
       from account_counters c where c.account_id = $1`,
    [kit.account.id],
  );
  const paid = Math.round(texts * PRICE_USD * 1_000_000);
  assert.equal(Number(row.balance_micros), CREDIT_USD * 1_000_000 - paid);
  assert.equal(Number(row.reserved_micros), 0);
  assert.equal(Number(row.ledger), -paid);
}
