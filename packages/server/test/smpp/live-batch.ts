import assert from "node:assert/strict";
import { makeBatch } from "../../testing/batches.ts";
import type { Kit } from "../../testing/kit.ts";
import { SMPP_FROM, type SmppStage } from "../../testing/smpp-stage.ts";

/** Enough for any of these tests. */
export const CREDIT_USD = 100;
const PRICE_USD = 0.009;

/** A live batch to these phones, of an account whose free texts are used up. */
export async function sendCrowd(
  { kit }: SmppStage,
  to: readonly string[],
  from: string = SMPP_FROM,
): Promise<{ id: string }> {
  await kit.rows("update accounts set daily_message_quota = 1000000");
  await useUpAllowance(kit);
  return makeBatch(kit, to, { from }, { key: kit.liveKey });
}

/** Also this month's, after an advance into it. */
export async function useUpAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date",
    [new Date(kit.deps.clock.now())],
  );
}

/** Nobody was texted twice, and never more was out than the window takes. */
export function assertOnce({ smsc }: Pick<SmppStage, "smsc">, window: number): void {
  const seen = new Set<string>();
  const twice = smsc.journal.taken().flatMap(({ to }) => {
    const isAgain = seen.has(to);
    seen.add(to);
    return isAgain ? [to] : [];
  });
  assert.deepEqual(twice, [], "phones that the SMSC took two texts for");
  const most = smsc.journal.mostOutstanding();
  assert.ok(most <= window, `${most} were out of a window of ${window}`);
}

/** The account has paid for so many texts, and its ledger says the same. */
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
