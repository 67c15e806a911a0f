import type { Base } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../platform/assert.ts";

export interface Owner {
  readonly shard: number;
  readonly accountId: string;
}

/** One billable fact. The database refuses a second entry of the same fact. */
export interface LedgerEntry {
  readonly kind: string;
  /** The id (as a UUID) of what is billed or credited. */
  readonly objectId: string;
  /** For what recurs, such as a number's month. */
  readonly period?: string;
  readonly amountMicros: number;
  readonly note?: string | null;
}

export interface Balance {
  readonly balance_micros: number;
  readonly reserved_micros: number;
}

// The entry and the balance move together or not at all; a fact that is already in the ledger
// moves neither, and returns nothing. The counters are locked first, as everybody else does it:
// two transactions that wait for each other's rows would both be lost.
const postEntry = statement(
  "post_ledger_entry",
  `with owner as (
     select account_id from account_counters where shard = $1 and account_id = $2 for update
   ), entry as (
     insert into ledger_entries (shard, account_id, object_id, kind, period, amount_micros, note, created_at)
     select $1, o.account_id, $3, $4, $5, $6, $7, $8 from owner o
     on conflict do nothing
     returning amount_micros
   )
   update account_counters c
      set balance_micros = c.balance_micros + e.amount_micros,
          reserved_micros = c.reserved_micros - $9
     from entry e
    where c.shard = $1 and c.account_id = $2
   returning c.balance_micros, c.reserved_micros`,
);

const reserveMicros = statement(
  "reserve_micros",
  `update account_counters set reserved_micros = reserved_micros + $3
    where shard = $1 and account_id = $2 and balance_micros - reserved_micros >= $3
   returning balance_micros, reserved_micros`,
);

const releaseMicros = statement(
  "release_micros",
  `update account_counters set reserved_micros = reserved_micros - $3
    where shard = $1 and account_id = $2
   returning balance_micros, reserved_micros`,
);

const readBalance = statement(
  "read_balance",
  `select balance_micros, reserved_micros from account_counters where shard = $1 and account_id = $2`,
);

/** Posts an entry and moves the balance. Null when this fact is in the ledger already. */
export async function post(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  return postReleasing(deps, tx, owner, entry, 0);
}

/** Sets money aside for a call that is about to be made. False when the balance is too low. */
export async function reserve(tx: Tx, owner: Owner, amountMicros: number): Promise<boolean> {
  assertAmount(amountMicros);
  if (amountMicros === 0) return true;
  const rows = await tx.query(reserveMicros, [owner.shard, owner.accountId, amountMicros]);
  return rows.length > 0;
}

/** Turns a reservation into an entry: the call was made. */
export async function settle(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
): Promise<Balance | null> {
  assertAmount(-entry.amountMicros);
  return postReleasing(deps, tx, owner, entry, -entry.amountMicros);
}

/** Gives a reservation back: the call was not made. */
export async function release(tx: Tx, owner: Owner, amountMicros: number): Promise<void> {
  assertAmount(amountMicros);
  if (amountMicros === 0) return;
  await tx.query(releaseMicros, [owner.shard, owner.accountId, amountMicros]);
}

export async function balanceOf(db: Queryable, owner: Owner): Promise<Balance> {
  const [row] = await db.query<Balance>(readBalance, [owner.shard, owner.accountId]);
  return row ?? { balance_micros: 0, reserved_micros: 0 };
}

/** Money set aside is a whole, positive number of micro-dollars: anything else is a bug. */
function assertAmount(micros: number): void {
  assert(Number.isSafeInteger(micros) && micros >= 0, `an amount of ${micros} micro-dollars`);
}

async function postReleasing(
  deps: Base,
  tx: Tx,
  owner: Owner,
  entry: LedgerEntry,
  releasedMicros: number,
): Promise<Balance | null> {
  assert(Number.isSafeInteger(entry.amountMicros), `an entry of ${entry.amountMicros}`);
  const [row] = await tx.query<Balance>(postEntry, [
    owner.shard,
    owner.accountId,
    entry.objectId,
    entry.kind,
    entry.period ?? "",
    entry.amountMicros,
    entry.note ?? null,
    new Date(deps.clock.now()),
    releasedMicros,
  ]);
  return row ?? null;
}
