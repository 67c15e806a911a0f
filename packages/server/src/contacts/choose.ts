import type { FilterNode } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { QUERY_CANCELED, sqlStateOf } from "../db/failures.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import type { ContactRow } from "./contact-row.ts";
import { filterCondition } from "./filter-sql.ts";
import { termsOf } from "./search-terms.ts";
import { CONTACT_COLUMNS } from "./sql.ts";

/** Those of an account's contacts that are meant: all of them, those that a filter chooses, or by name. */
export interface Choice {
  readonly filter?: FilterNode;
  /** Whoever has one of these. */
  readonly tags?: readonly string[];
}

/**
 * So many contacts with a tag are few enough to be looked at one by one. Where there are more, all
 * contacts are read in their order, which is quicker than to fetch a part of them from everywhere.
 */
const CANDIDATES_MAX = 20_000;

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
  const conditions = await narrowedConditions(db, account, choice);
  const rows = await db.query<{ id: string }>(
    composed(
      "read_chosen_ids",
      sql`select c.id from contacts c where ${join(conditions, " and ")}
           order by c.id desc limit ${limit}`,
    ),
  );
  return rows.map((row) => row.id);
}

/** What chooses contacts, by the index of terms where few contacts have a tag that all of them need. */
async function narrowedConditions(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
): Promise<Fragment[]> {
  const conditions = conditionsOf(account, choice);
  const tags = choice.tags ?? (choice.filter ? neededTags(choice.filter) : null);
  if (tags === null) return conditions;
  const terms = termsOf(account.id);
  const tagged = await db.query<{ id: string }>(
    composed(
      "read_tagged_contacts",
      sql`select s.contact_id as id from contact_search s
           where s.shard = ${account.shard} and s.account_id = ${account.id}
             and s.terms && ${tags.map((tag) => terms.ofTag(tag))}::int[]
           limit ${CANDIDATES_MAX + 1}`,
    ),
  );
  if (tagged.length > CANDIDATES_MAX) return conditions;
  // Their ids go back as values: a join would be planned by statistics that may be of yesterday.
  return [...conditions, sql`c.id = any(${tagged.map((row) => row.id)}::uuid[])`];
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
    ),
  );
}

/** How many contacts a filter chooses right now; null when counting them took too long. */
export async function countChosen(
  db: Queryable,
  account: AccountRef,
  choice: Choice,
): Promise<number | null> {
  const condition = join(await narrowedConditions(db, account, choice), " and ");
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
