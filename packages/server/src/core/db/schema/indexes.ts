import type pg from "pg";
import { type Progress, retryOnLock } from "../driver/retry-on-lock.ts";

/** Safety limit, above the number of monthly partitions with unfinished indexes. */
const PARTS_MAX = 2_000;
/**
 * Attaching an index locks the partition, and its users queue behind the waiting change. So the wait is short and
 * retried.
 */
const ATTACH_WAIT_MS_MAX = 50;

/** A partition that lacks its part of an index. */
interface Missing {
  readonly index: string;
  readonly month: string;
  /** Name of the part. */
  readonly part: string;
  /** The index definition after `using`. */
  readonly form: string;
  /** Null: not started; false: started but unfinished. */
  readonly is_built: boolean | null;
  /** False in a new database, where the build takes no time. */
  readonly has_rows: boolean;
}

const FIND_MISSING = `
  select missing.*, built.indisvalid as is_built
    from (select whole.relname as index, month.relname as month,
                 month.relname || substr(whole.relname, length(parent.relname) + 1) as part,
                 pg_relation_size(month.oid) > 0 as has_rows,
                 substring(pg_get_indexdef(i.indexrelid) from ' USING (.*)$') as form
            from pg_index i
            join pg_class whole on whole.oid = i.indexrelid and whole.relkind = 'I'
            join pg_class parent on parent.oid = i.indrelid
            join pg_inherits months on months.inhparent = i.indrelid
            join pg_class month on month.oid = months.inhrelid
           where not i.indisvalid and whole.relnamespace = current_schema()::regnamespace
             and not exists (
               select from pg_inherits attached join pg_index own on own.indexrelid = attached.inhrelid
                where attached.inhparent = i.indexrelid and own.indrelid = month.oid)) as missing
    left join pg_index built on built.indexrelid = to_regclass(missing.part)
   order by missing.index, missing.month desc
   limit 1`;

/**
 * Completes indexes that a migration created `on only` a partitioned table: builds the part of each month concurrently
 * with writers, then attaches it. The last part makes the index valid. An interrupted run continues where it stopped.
 */
export async function finishIndexes(client: pg.Client, progress: Progress): Promise<void> {
  // A concurrent build waits for transactions on the partition and blocks none, so it may take as long as it needs.
  await client.query("set statement_timeout = 0");
  for (let parts = 0; ; parts += 1) {
    const isWhole = await retryOnLock("an index", progress, () => buildNext(client, progress));
    if (isWhole) break;
    if (parts >= PARTS_MAX) throw new Error(`more than ${PARTS_MAX} parts were to be built`);
  }
  await client.query("reset statement_timeout; reset lock_timeout");
}

/** True when no partition lacks a part. */
async function buildNext(client: pg.Client, progress: Progress): Promise<boolean> {
  const [missing] = (await client.query<Missing>(FIND_MISSING)).rows;
  if (!missing) return true;
  const { index, month, part, form, is_built, has_rows } = missing;
  if (!is_built) {
    progress(`Building ${part} beside the writers …`, has_rows ? undefined : "debug");
    await client.query("set lock_timeout = 0");
    if (is_built === false) await client.query(`drop index concurrently ${part}`);
    await client.query(`create index concurrently ${part} on ${month} using ${form}`);
  }
  await client.query(`set lock_timeout = ${ATTACH_WAIT_MS_MAX}`);
  await client.query(`alter index ${index} attach partition ${part}`);
  return false;
}
