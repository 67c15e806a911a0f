import type pg from "pg";
import { patiently } from "./patience.ts";

/** More months than all tables with such indexes have. */
const PARTS_MAX = 2_000;
/**
 * Attaching a part is a moment in which nobody else uses it. Whoever comes meanwhile waits behind, so it
 * waits for less than they notice, and is tried again.
 */
const ATTACH_WAIT_MS_MAX = 50;

/** A month without its part of an index. */
interface Missing {
  readonly index: string;
  readonly month: string;
  /** What the month's part is called. */
  readonly part: string;
  /** The index's definition, behind `using`. */
  readonly form: string;
  /** Null when nobody has begun it, false when it was begun and not finished. */
  readonly is_built: boolean | null;
}

const FIND_MISSING = `
  select missing.*, built.indisvalid as is_built
    from (select whole.relname as index, month.relname as month,
                 month.relname || substr(whole.relname, length(parent.relname) + 1) as part,
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
 * Finishes the indexes that a migration made `on only` a table of months, which takes a moment: each
 * month gets its part while others go on writing to it, and with the last one the index is whole. What was
 * interrupted goes on where it stopped.
 */
export async function finishIndexes(
  client: pg.Client,
  progress: (line: string) => void,
): Promise<void> {
  // However long a part takes: it waits for whoever uses the month now, and nobody waits for it.
  await client.query("set statement_timeout = 0");
  for (let parts = 0; ; parts += 1) {
    const isWhole = await patiently("an index", progress, () => buildNext(client, progress));
    if (isWhole) break;
    if (parts >= PARTS_MAX) throw new Error(`more than ${PARTS_MAX} parts were to be built`);
  }
  await client.query("reset statement_timeout; reset lock_timeout");
}

/** True when no month lacks a part. */
async function buildNext(client: pg.Client, progress: (line: string) => void): Promise<boolean> {
  const [missing] = (await client.query<Missing>(FIND_MISSING)).rows;
  if (!missing) return true;
  const { index, month, part, form, is_built } = missing;
  if (!is_built) {
    progress(`Building ${part} beside the writers …`);
    await client.query("set lock_timeout = 0");
    if (is_built === false) await client.query(`drop index concurrently ${part}`);
    await client.query(`create index concurrently ${part} on ${month} using ${form}`);
  }
  await client.query(`set lock_timeout = ${ATTACH_WAIT_MS_MAX}`);
  await client.query(`alter index ${index} attach partition ${part}`);
  return false;
}
