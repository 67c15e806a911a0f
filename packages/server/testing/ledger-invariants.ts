import assert from "node:assert/strict";

type Rows = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * For every account the balance is the sum of its ledger, and what was spent in its newest month is
 * that month's debits; corrections by the operator are none.
 */
export async function assertMoneyAddsUp(rows: Rows): Promise<void> {
  const accounts = await rows(`
    select c.account_id, c.balance_micros, c.spent_micros, c.reserved_micros >= 0 as is_sound,
           (select coalesce(sum(l.amount_micros), 0)::bigint from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id) as ledger_micros,
           (select coalesce(-sum(l.amount_micros), 0)::bigint from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id and l.amount_micros < 0
               and l.kind <> 'credit'
               and date_trunc('month', l.created_at at time zone 'UTC')::date = c.spent_month) as debit_micros,
           exists (select 1 from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id and l.amount_micros < 0
               and l.kind <> 'credit'
               and date_trunc('month', l.created_at at time zone 'UTC')::date > c.spent_month) as is_behind
      from account_counters c`);
  for (const one of accounts) {
    const who = `account ${one["account_id"]}`;
    assert.equal(one["balance_micros"], one["ledger_micros"], `the balance of ${who}`);
    assert.equal(one["spent_micros"], one["debit_micros"], `what ${who} spent`);
    assert.equal(one["is_behind"], false, `${who} spent in a month that is not counted`);
    assert.equal(one["is_sound"], true, `what is set aside for ${who}`);
  }
}
