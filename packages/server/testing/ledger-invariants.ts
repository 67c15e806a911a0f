import assert from "node:assert/strict";

type Rows = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Asserts for every account that the balance is the sum of its ledger, and that the spending of its newest
 * month equals that month's debits, less what carriers' costs gave back. Corrections by the operator do not count.
 */
export async function assertMoneyAddsUp(rows: Rows): Promise<void> {
  const accounts = await rows(`
    select c.account_id, c.balance_micros, c.spent_micros, c.reserved_micros >= 0 as is_sound,
           (select coalesce(sum(l.amount_micros), 0)::bigint from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id) as ledger_micros,
           (select coalesce(-sum(l.amount_micros), 0)::bigint from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id
               and l.kind <> 'credit'
               and date_trunc('month', l.created_at at time zone 'UTC')::date = c.spent_month) as debit_micros,
           exists (select 1 from ledger_entries l
             where l.shard = c.shard and l.account_id = c.account_id
               and l.kind <> 'credit'
               and date_trunc('month', l.created_at at time zone 'UTC')::date > c.spent_month) as is_behind
      from account_counters c`);
  for (const one of accounts) {
    const account = `account ${one["account_id"]}`;
    assert.equal(one["balance_micros"], one["ledger_micros"], `the balance of ${account}`);
    assert.equal(one["spent_micros"], one["debit_micros"], `the spending of ${account}`);
    assert.equal(one["is_behind"], false, `${account} spent in a month that is not counted`);
    assert.equal(one["is_sound"], true, `the reserved amount of ${account}`);
  }
}
