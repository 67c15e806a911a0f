import type { Base } from "../../core/base.ts";
import type { Database, Tx } from "../../core/db/driver/database.ts";
import { composed, type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { optionsOf, type Pass, type Person, PLACES, type Place } from "./places.ts";

const FIRST_UUID = "00000000-0000-0000-0000-000000000000";
const ROWS_PER_CHANGE = 1_000;
/** Rows that one step of a pass looks at. */
const ROWS_PER_STEP = 5_000;
/** Passes over every place: a request that had begun before the erasure may still write. */
const ROUNDS_MAX = 3;
/** Time until the next look at messages and batch rows that have not ended. */
const WAITING_RETRY_MS = 3_600_000;

interface ErasureRun {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly phone_number: string;
  readonly phone_hash: Buffer;
}

/** The erasure that a statement works for. */
interface Work {
  readonly person: Person;
  readonly erasureId: string;
  /** Keyed hash in place of the number. */
  readonly alias: string;
}

const findDueErasures = statement(
  "find_due_erasures",
  `select shard, account_id, id, phone_number, phone_hash from erasures
    where due_at <= $1 order by due_at limit 20`,
  { acrossShards: "erasures of every shard are run by one process" },
);
/** Adds to the report in the transaction that erased: a kill between the two would lose the count. */
const addToReport = statement(
  "add_to_erasure_report",
  `update erasures set report = report || jsonb_build_object($4::text, coalesce((report ->> $4)::bigint, 0) + $5::bigint)
    where shard = $1 and account_id = $2 and id = $3`,
);
const postponeErasure = statement(
  "postpone_erasure",
  `update erasures set waiting = $4, due_at = $5 where shard = $1 and account_id = $2 and id = $3`,
);
const completeErasure = statement(
  "complete_erasure",
  `update erasures set status = 'complete', phone_number = null, waiting = 0, due_at = null, completed_at = $4
    where shard = $1 and account_id = $2 and id = $3`,
);
/** Lets this transaction change append-only tables. */
const allowDeletes = statement("allow_phone_deletes", "set local longwave.erases_account = 'on'");
const allowUpdates = statement("allow_phone_updates", "set local longwave.erases_phone = 'on'");

/**
 * Erases phone numbers, place by place. The owner of the tables does it, because the application may not change
 * append-only ones. A run that ends early is continued by the next: a place that is done has no rows left.
 */
export const eraseNumbers: PeriodicTask = {
  name: "erasures.run",
  everySeconds: 60,
  async run(deps, signal) {
    const due = await deps.db.query<ErasureRun>(findDueErasures, [new Date(deps.clock.now())]);
    const failures: unknown[] = [];
    for (const erasure of due) {
      if (signal.aborted) return;
      await deps
        .asOwner((db) => eraseOne(deps, db, erasure, signal))
        .catch((error: unknown) => failures.push(error));
    }
    // The next run tries again; the others are erased already.
    if (failures.length > 0) throw failures[0];
  },
};

async function eraseOne(
  deps: Base,
  db: Database,
  erasure: ErasureRun,
  signal: AbortSignal,
): Promise<void> {
  const key = [erasure.shard, erasure.account_id, erasure.id];
  const { shard, account_id: accountId, phone_number: phone } = erasure;
  const person = { shard, accountId, phone };
  const alias = `erased:${erasure.phone_hash.toString("hex")}:${toApiId("erasure", erasure.id)}`;
  const work = { person, erasureId: erasure.id, alias };
  const startedAt = deps.clock.now();
  let unfinished: Unfinished = { waiting: 0, retryMs: WAITING_RETRY_MS };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // Counted before the pass: a row that ends during it may have been passed already, and needs another look.
    unfinished = await countUnfinished(deps.db, person);
    let changed = 0;
    for (const place of PLACES) {
      changed += await eraseFrom(db, place, work, signal);
      if (signal.aborted) return;
    }
    if (changed === 0) break;
  }
  const { waiting, retryMs } = unfinished;
  if (waiting > 0) {
    // From the start: a test clock may move on during the run.
    await deps.db.query(postponeErasure, [...key, waiting, new Date(startedAt + retryMs)]);
  } else await deps.db.query(completeErasure, [...key, new Date(deps.clock.now())]);
  deps.log.info({ erasure: toApiId("erasure", erasure.id), waiting }, "erasures: run");
}

async function eraseFrom(
  db: Database,
  place: Place,
  work: Work,
  signal: AbortSignal,
): Promise<number> {
  if (place.pass) return eraseAlong(db, place, place.pass, work, signal);
  let rows = 0;
  for (let changed = ROWS_PER_CHANGE; changed === ROWS_PER_CHANGE && !signal.aborted; ) {
    changed = await change(db, place, work, changeableBy(place, work.person), ROWS_PER_CHANGE);
    rows += changed;
  }
  return rows;
}

async function eraseAlong(
  db: Database,
  place: Place,
  { key, among }: Pass,
  work: Work,
  signal: AbortSignal,
): Promise<number> {
  const { person } = work;
  const [table, column] = [raw(place.table), raw(key)];
  let rows = 0;
  for (const part of among) {
    for (let above = FIRST_UUID; !signal.aborted; ) {
      const [step] = await db.query<{ upto: string | null }>(
        composed(
          `erasure_step_${place.table}`,
          sql`select max(step.key::text)::uuid as upto from (
                select t.${column} as key from ${table} t where ${part(person)} and t.${column} > ${above}::uuid
                 order by t.${column} limit ${ROWS_PER_STEP}) as step`,
          optionsOf(place),
        ),
      );
      if (!step?.upto) break;
      const range = sql`${part(person)} and t.${column} > ${above}::uuid and t.${column} <= ${step.upto}::uuid`;
      rows += await change(db, place, work, sql`${range} and ${changeableBy(place, person)}`);
      above = step.upto;
    }
  }
  return rows;
}

function changeableBy({ about, unfinished }: Place, person: Person): Fragment {
  const finished = unfinished ? sql` and (${unfinished}) is not true` : sql``;
  return sql`(${about(person)})${finished}`;
}

/** Changes rows that match; `rowsMax` bounds the statement where no range does. */
function change(
  db: Database,
  place: Place,
  { person, erasureId, alias }: Work,
  condition: Fragment,
  rowsMax: number | null = null,
): Promise<number> {
  const table = raw(place.table);
  const verb = place.redacts
    ? sql`update ${table} t set ${place.redacts(alias)}`
    : sql`delete from ${table} t`;
  const bound =
    rowsMax === null
      ? sql``
      : sql` and t.ctid = any(array(select t.ctid from ${table} t where ${condition} limit ${rowsMax}))`;
  const text = sql`${verb} where ${condition}${bound} returning 1 as changed`;
  return db.tx(async (tx: Tx) => {
    await tx.query(allowDeletes, []);
    await tx.query(allowUpdates, []);
    const rows = await tx.query(composed(`erase_from_${place.table}`, text, optionsOf(place)));
    const report = [person.shard, person.accountId, erasureId, place.name, rows.length];
    if (rows.length > 0) await tx.query(addToReport, report);
    return rows.length;
  });
}

interface Unfinished {
  readonly waiting: number;
  /** Time until the next look: the shortest of the places with unfinished rows. */
  readonly retryMs: number;
}

async function countUnfinished(db: Base["db"], person: Person): Promise<Unfinished> {
  let waiting = 0;
  let retryMs = WAITING_RETRY_MS;
  for (const place of PLACES) {
    const { table, about, unfinished } = place;
    if (!unfinished) continue;
    const [row] = await db.query<{ count: number }>(
      composed(
        `count_unfinished_${table}`,
        sql`select count(*)::int as count from ${raw(table)} t where (${about(person)}) and (${unfinished})`,
        optionsOf(place),
      ),
    );
    const count = row?.count ?? 0;
    waiting += count;
    if (count > 0) retryMs = Math.min(retryMs, place.retryMs ?? WAITING_RETRY_MS);
  }
  return { waiting, retryMs };
}
