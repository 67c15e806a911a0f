import { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Database, Tx } from "../../core/db/driver/database.ts";
import { composed, type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { INBOX_SHARD } from "../../messaging/outbound/index.ts";
import { cooldownTask, releaseAllNumbers } from "../../network/numbers/index.ts";

/** Delay after the deletion, in which every process ends its work for the account. */
const ERASE_AFTER_MS = 60_000;
const ROWS_PER_DELETE = 1_000;
/** Rows of all accounts that one step along a key passes. */
const ROWS_PER_STEP = 5_000;
const FIRST_UUID = "00000000-0000-0000-0000-000000000000";

/** Large tables without an index by account: one pass along their key, a UUID. */
const BY_KEY: Readonly<Record<string, string>> = {
  messages: "id",
  ledger_entries: "object_id",
  submit_attempts: "message_id",
  verifications: "id",
};

/** Tables that the last transaction empties, because others refer to them or need them until then. */
const LAST = ["accounts", "account_counters", "api_keys", "memberships", "console_links"];
/** Ids alone, dropped with their month after 31 days. */
const EXPIRING = ["carrier_references"];

const findDeletedAccounts = statement(
  "find_deleted_accounts",
  "select id, shard from accounts where deleted_at < $1 order by deleted_at limit 10",
);

const listOwnedTables = statement(
  "list_owned_tables",
  `select c.relname as name,
          exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'shard') as has_shard
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname`,
  { acrossShards: "reads the catalog" },
);

const listBatchIds = statement(
  "list_batch_ids_to_erase",
  "select id from batches where shard = $1 and account_id = $2",
);

/** Lets this transaction delete from append-only tables. */
const allowErasure = statement("allow_erasure", "set local longwave.erases_account = 'on'");

const eraseRecipients = statement(
  "erase_batch_recipients",
  "delete from batch_recipients where shard = $1 and batch_id = $2 returning 1 as gone",
);

const LAST_STATEMENTS = [
  statement("erase_console_visits", "delete from console_sessions where visited_account_id = $1"),
  ...["console_links", "memberships", "api_keys"].map((table) =>
    statement(`erase_${table}`, `delete from ${table} where account_id = $1`),
  ),
];
const eraseCounters = statement(
  "erase_account_counters",
  "delete from account_counters where shard = $1 and account_id = $2",
);
const eraseAccount = statement("erase_account", "delete from accounts where id = $1");

/** Adds to the report of a deletion, in the transaction that erased. */
const addToReport = statement(
  "add_to_deletion_report",
  `update account_deletions
      set report = report || jsonb_build_object($2::text, coalesce((report ->> $2)::bigint, 0) + $3::bigint)
    where deleted_account_id = $1`,
);
const completeDeletion = statement(
  "complete_account_deletion",
  `update account_deletions set status = 'complete', completed_at = $2
    where deleted_account_id = $1 and status = 'running'`,
);
const listMessagesBetween = statement(
  "list_messages_to_erase",
  `select id from messages where shard = $1 and account_id = $2 and id > $3::uuid and id <= $4::uuid`,
);
const eraseTraffic = statement(
  "erase_carrier_traffic",
  "delete from carrier_inbox where shard = $1 and message_id = any($2::uuid[]) returning 1 as gone",
);

interface Account {
  readonly id: string;
  readonly shard: number;
}

interface OwnedTable {
  readonly name: string;
  readonly has_shard: boolean;
}

/**
 * Erases deleted accounts: their numbers first, then every row that names them, then the account. The owner of the
 * tables deletes, because the application may not delete from append-only ones. A run that ends early is continued by
 * the next; rows that a late process wrote meanwhile are found by another pass.
 */
export const eraseAccounts: PeriodicTask = {
  name: "accounts.erase",
  everySeconds: 60,
  async run(deps, signal) {
    const before = new Date(deps.clock.now() - ERASE_AFTER_MS);
    const accounts = await deps.db.query<Account>(findDeletedAccounts, [before]);
    const failures: unknown[] = [];
    for (const account of accounts) {
      await eraseOne(deps, account, signal).catch((error: unknown) => failures.push(error));
    }
    // The next run tries again; the others are erased already.
    if (failures.length > 0) throw failures[0];
  },
};

async function eraseOne(deps: Base, account: Account, signal: AbortSignal): Promise<void> {
  const released = await releaseAllNumbers(deps, account, signal);
  // The next run erases: a released number first leaves its registration, by a job of the account.
  if (released > 0 || signal.aborted) return;
  await deps.asOwner((db) => erase(deps, db, account, signal));
}

async function erase(
  deps: Base,
  db: Database,
  account: Account,
  signal: AbortSignal,
): Promise<void> {
  const tables = await db.query<OwnedTable>(listOwnedTables, []);
  const erased = tables.filter(({ name }) => !LAST.includes(name) && !EXPIRING.includes(name));
  let rows: number;
  do {
    rows = await eraseBatches(db, account, signal);
    for (const table of erased) {
      if (signal.aborted) return;
      rows += await eraseFrom(db, table, account, signal);
    }
  } while (rows > 0);
  if (signal.aborted) return;
  await db.tx(async (tx) => {
    for (const last of LAST_STATEMENTS) await tx.query(last, [account.id]);
    await tx.query(eraseCounters, [account.shard, account.id]);
    await tx.query(eraseAccount, [account.id]);
    await tx.query(completeDeletion, [account.id, new Date(deps.clock.now())]);
  });
  deps.log.info({ account: account.id }, "accounts: erased");
}

/** Recipients belong to their batch: the table does not name the account. */
async function eraseBatches(db: Database, account: Account, signal: AbortSignal): Promise<number> {
  const { id, shard } = account;
  let rows = 0;
  for (const batch of await db.query<{ id: string }>(listBatchIds, [shard, id])) {
    if (signal.aborted) return rows;
    rows += await inErasure(db, account, "batch_recipients", async (tx) =>
      tx.query(eraseRecipients, [shard, batch.id]),
    );
  }
  return rows;
}

function eraseFrom(
  db: Database,
  table: OwnedTable,
  account: Account,
  signal: AbortSignal,
): Promise<number> {
  const key = BY_KEY[table.name];
  return key === undefined
    ? eraseByAccount(db, table, account, signal)
    : eraseAlong(db, { table: table.name, key }, account, signal);
}

async function eraseByAccount(
  db: Database,
  { name, has_shard }: OwnedTable,
  account: Account,
  signal: AbortSignal,
): Promise<number> {
  const { id, shard } = account;
  const table = raw(name);
  // A resting number returns to the stock after the account is gone.
  const kept = name === "jobs" ? sql` and task <> ${cooldownTask.name}` : sql``;
  const owned: Fragment = has_shard
    ? sql`shard = ${shard} and account_id = ${id}::uuid${kept}`
    : sql`account_id = ${id}::uuid`;
  let rows = 0;
  for (let gone = ROWS_PER_DELETE; gone === ROWS_PER_DELETE && !signal.aborted; rows += gone) {
    const statement = composed(
      `erase_${name}`,
      sql`delete from ${table} where ${owned} and ctid = any(array(
            select ctid from ${table} where ${owned} limit ${ROWS_PER_DELETE})) returning 1 as gone`,
      { profile: "scans" },
    );
    gone = await inErasure(db, account, name, (tx) => tx.query(statement));
  }
  return rows;
}

async function eraseAlong(
  db: Database,
  along: { readonly table: string; readonly key: string },
  account: Account,
  signal: AbortSignal,
): Promise<number> {
  const { id, shard } = account;
  const [table, key] = [raw(along.table), raw(along.key)];
  let rows = 0;
  for (let above = FIRST_UUID; !signal.aborted; ) {
    const [step] = await db.query<{ upto: string | null }>(
      composed(
        `step_${along.table}`,
        sql`select max(step.key::text)::uuid as upto from (
              select ${key} as key from ${table} where shard = ${shard} and ${key} > ${above}::uuid
               order by ${key} limit ${ROWS_PER_STEP}) as step`,
      ),
    );
    const upto = step?.upto;
    if (!upto) break;
    const statement = composed(
      `erase_${along.table}`,
      sql`delete from ${table} where shard = ${shard} and ${key} > ${above}::uuid and ${key} <= ${upto}::uuid
             and account_id = ${id}::uuid returning 1 as gone`,
    );
    if (along.table === "messages") await eraseTrafficOf(db, account, above, upto);
    rows += await inErasure(db, account, along.table, (tx) => tx.query(statement));
    above = upto;
  }
  return rows;
}

/** Traffic as carriers delivered it: its rows name the message, not the account. */
async function eraseTrafficOf(
  db: Database,
  account: Account,
  above: string,
  upto: string,
): Promise<void> {
  const values = [account.shard, account.id, above, upto];
  const messages = await db.query<{ id: string }>(listMessagesBetween, values);
  if (messages.length === 0) return;
  const ids = messages.map(({ id }) => id);
  await inErasure(db, account, "carrier_inbox", (tx) => tx.query(eraseTraffic, [INBOX_SHARD, ids]));
}

/** Deletes and reports in one transaction: a kill between the two would miscount. */
function inErasure(
  db: Database,
  { id }: Account,
  table: string,
  work: (tx: Tx) => Promise<readonly unknown[]>,
): Promise<number> {
  return db.tx(async (tx) => {
    await tx.query(allowErasure, []);
    const { length } = await work(tx);
    if (length > 0) await tx.query(addToReport, [id, table, length]);
    return length;
  });
}

/** The caller repeats the name, so that no slip of the hand deletes an account. */
export function requireName(given: string, name: string): void {
  if (given === name) return;
  throw new Problem(
    "invalid_request",
    "confirm is not the name of the account. Repeat the name exactly: everything of the account is erased.",
    { param: "confirm" },
  );
}
