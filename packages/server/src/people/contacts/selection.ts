import type { FilterNode } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { QUERY_CANCELED, sqlStateOf } from "../../core/db/driver/failures.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import type { ContactRow } from "./contact-row.ts";
import { filterCondition, hasOneOfTags } from "./filter-sql.ts";
import { termsOf } from "./search-terms.ts";
import { CONTACT_COLUMNS, neighbours } from "./sql.ts";

/** A selection of an account's contacts: without conditions, all of them. */
export interface ContactSelection {
  readonly filter?: FilterNode;
  /** Lower case. A contact matches if it has any of these tags. */
  readonly tags?: readonly string[];
}

/**
 * Up to this many search rows of sixteen contacts, the term index is used. With more matches, a scan
 * of all contacts in key order is faster than random reads.
 */
const CANDIDATE_ROWS_MAX = 5_000;
const SCANS = { profile: "scans" } as const;

/**
 * At most `limit` ids of a selection, newest first. One statement reads them, so the selection is a
 * single snapshot, however long reading the contacts then takes.
 */
export async function readSelectedIds(
  db: Queryable,
  account: ModedAccount,
  selection: ContactSelection,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    composed(
      "read_selected_contact_ids",
      sql`${selectionQuery(account, selection, "c.id")} order by id desc limit ${limit}`,
      SCANS,
    ),
  );
  return rows.map((row) => row.id);
}

/**
 * Query of a selection: by the term index if it requires a tag that few contacts have, else by a scan.
 * PostgreSQL counts the search rows first and runs one branch only.
 */
function selectionQuery(
  account: ModedAccount,
  selection: ContactSelection,
  columns: string,
): Fragment {
  const conditions = join(conditionsOf(account, selection), " and ");
  const all = sql`select ${raw(columns)} from contacts c where ${conditions}`;
  const tags = selection.tags ?? (selection.filter ? requiredTags(selection.filter) : null);
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

/** Tags of which every matching contact has at least one; null if the filter requires no tag. */
function requiredTags(node: FilterNode): readonly string[] | null {
  if ("not" in node) return null;
  if ("leaf" in node) {
    const { leaf } = node;
    const isTag = leaf.field === "tag" && leaf.op === "is" && leaf.value !== "";
    return isTag ? [leaf.value] : null;
  }
  if ("all" in node) {
    const needed = node.all.map(requiredTags).filter((tags) => tags !== null);
    return needed.sort((a, b) => a.length - b.length)[0] ?? null;
  }
  const each = node.any.map(requiredTags);
  if (each.length === 0 || each.includes(null)) return null;
  return each.flatMap((tags) => tags ?? []);
}

/** Reads one page of a selection, newest first, along the primary key. */
export function readSelected(
  db: Queryable,
  account: ModedAccount,
  selection: ContactSelection,
  beforeId: string | null,
  limit: number,
): Promise<ContactRow[]> {
  const conditions = [...conditionsOf(account, selection)];
  if (beforeId !== null) conditions.push(sql`c.id < ${beforeId}::uuid`);
  return db.query<ContactRow>(
    composed(
      "read_selected_contacts",
      sql`select ${raw(CONTACT_COLUMNS)} from contacts c where ${join(conditions, " and ")}
           order by c.id desc limit ${limit}`,
      SCANS,
    ),
  );
}

/** Counts the contacts of a selection; null if the query hit its statement timeout. */
export async function countSelected(
  db: Queryable,
  account: ModedAccount,
  selection: ContactSelection,
): Promise<number | null> {
  const counting = composed(
    "count_selected_contacts",
    sql`select count(*)::int as contacts from (${selectionQuery(account, selection, "1")}) c`,
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

export function conditionsOf(
  account: ModedAccount,
  { filter, tags }: ContactSelection,
): Fragment[] {
  const conditions = [sql`c.shard = ${account.shard}`, sql`c.account_id = ${account.id}`];
  if (filter) conditions.push(filterCondition(account, filter));
  if (tags) conditions.push(hasOneOfTags(tags));
  return conditions;
}
