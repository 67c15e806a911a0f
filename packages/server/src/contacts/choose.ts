import type { FilterNode } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { QUERY_CANCELED, sqlStateOf } from "../db/failures.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import type { ContactRow } from "./contact-row.ts";
import { filterCondition } from "./filter-sql.ts";
import { CONTACT_COLUMNS } from "./sql.ts";

/** Those of an account's contacts that are meant: all of them, those that a filter chooses, or by name. */
export interface Choice {
  readonly filter?: FilterNode;
  /** Whoever has one of these. */
  readonly tags?: readonly string[];
}

/**
 * Contacts of a choice, newest first, those before the one given: a page at a time, along the
 * primary key, so that reading all of them holds one page in memory and no lock.
 */
export function readChosen(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
  beforeId: string | null,
  limit: number,
): Promise<ContactRow[]> {
  const conditions = [...conditionsOf(account, choice)];
  if (beforeId !== null) conditions.push(sql`c.id < ${beforeId}::uuid`);
  return db.query<ContactRow>(
    composed(
      "read_chosen_contacts",
      sql`select ${raw(CONTACT_COLUMNS)} from contacts c where ${join(conditions, " and ")}
           order by c.id desc limit ${limit}`,
    ),
  );
}

/** How many contacts a filter chooses right now; null when counting them took too long. */
export async function countChosen(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
): Promise<number | null> {
  const condition = join(conditionsOf(account, choice), " and ");
  const counting = composed(
    "count_chosen_contacts",
    sql`select count(*)::int as contacts from contacts c where ${condition}`,
  );
  try {
    const [row] = await db.query<{ contacts: number }>(counting);
    return row?.contacts ?? 0;
  } catch (error) {
    if (sqlStateOf((error as { cause?: unknown }).cause ?? error) === QUERY_CANCELED) return null;
    throw error;
  }
}

export function conditionsOf(account: AccountRef, { filter, tags }: Choice): Fragment[] {
  const conditions = [sql`c.shard = ${account.shard}`, sql`c.account_id = ${account.id}`];
  if (filter) conditions.push(filterCondition(account, filter));
  if (tags) conditions.push(sql`coalesce(c.folded_tags, c.tags) && ${tags}::text[]`);
  return conditions;
}
