import type { FilterNode } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { QUERY_CANCELED, sqlStateOf } from "../db/failures.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import type { ContactRow } from "./contact-row.ts";
import { filterCondition } from "./filter-sql.ts";
import { neighbours } from "./search-sql.ts";
import { termsOf } from "./search-terms.ts";
import { CONTACT_COLUMNS } from "./sql.ts";
import { hasOneOfTags } from "./tag-lines.ts";

/** Those of an account's contacts that are meant: all of them, those that a filter chooses, or by name. */
export interface Choice {
  readonly filter?: FilterNode;
  /** Whoever has one of these. */
  readonly tags?: readonly string[];
}

/**
 * So many rows of what contacts are found by, up to sixteen contacts each, are few enough to look at
 * their contacts one by one. Where there are more, all contacts are read in their order, which is
 * quicker than to fetch a part of them from everywhere.
 */
const CANDIDATE_ROWS_MAX = 5_000;
const SCANS = { profile: "scans" } as const;

/**
 * The ids of a choice, newest first, at most so many: one statement, so that what is chosen is of one
 * moment, however long it then takes to read the contacts.
 */
export async function readChosenIds(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    composed(
      "read_chosen_ids",
      sql`${chosen(account, choice, "c.id")} order by id desc limit ${limit}`,
      SCANS,
    ),
  );
  return rows.map((row) => row.id);
}

/**
 * Contacts of a choice, as a query of the given columns: by the index of terms where few contacts have
 * a tag that all of them need. Which of the two ways it is, PostgreSQL finds out when it runs it: the
 * other one is not begun.
 */
function chosen(account: AccountRef, choice: Choice, columns: string): Fragment {
  const conditions = join(conditionsOf(account, choice), " and ");
  const all = sql`select ${raw(columns)} from contacts c where ${conditions}`;
  const tags = choice.tags ?? (choice.filter ? neededTags(choice.filter) : null);
  if (tags === null) return all;
  const terms = termsOf(account.id);
  return sql`with s as materialized (
      select s.first_id from contact_search s
       where s.shard = ${account.shard} and s.account_id = ${account.id}
         and s.terms && ${tags.map((tag) => terms.ofTag(tag))}::int[]
       limit ${CANDIDATE_ROWS_MAX + 1}
    )
    ${all} and (select count(*) from s) > ${CANDIDATE_ROWS_MAX}
    union all
    select ${raw(columns)} from s ${neighbours(account)}
     where ${conditions} and (select count(*) from s) <= ${CANDIDATE_ROWS_MAX}`;
}

/** Tags of which every contact that a filter chooses has one; null where there are none such. */
function neededTags(node: FilterNode): readonly string[] | null {
  if ("not" in node) return null;
  if ("leaf" in node) {
    const { leaf } = node;
    const isTag = leaf.field === "tag" && leaf.op === "is" && leaf.value !== "";
    return isTag ? [leaf.value] : null;
  }
  if ("all" in node) {
    const needed = node.all.map(neededTags).filter((tags) => tags !== null);
    return needed.sort((a, b) => a.length - b.length)[0] ?? null;
  }
  const each = node.any.map(neededTags);
  if (each.length === 0 || each.includes(null)) return null;
  return each.flatMap((tags) => tags ?? []);
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
      SCANS,
    ),
  );
}

/** How many contacts a filter chooses right now; null when counting them took too long. */
export async function countChosen(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
): Promise<number | null> {
  const counting = composed(
    "count_chosen_contacts",
    sql`select count(*)::int as contacts from (${chosen(account, choice, "1")}) c`,
    SCANS,
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
  if (tags) conditions.push(hasOneOfTags(tags));
  return conditions;
}
