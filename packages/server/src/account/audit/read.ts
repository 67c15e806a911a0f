import { Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { ENTRY_COLUMNS, type EntryRow } from "./entry-row.ts";
import { INSTALLATION } from "./record.ts";

/** Filters of a list or an export. */
export interface EntryFilters {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly created_after?: string;
  readonly created_before?: string;
}

/** Start of a part of the log: below an id, newest first, or above a number, oldest first. */
export type EntryStart = { readonly belowId: string | null } | { readonly aboveSeq: number };

/** Entries of an account, or of the installation itself (null). */
export function readEntries(
  db: Queryable,
  account: AccountRef | null,
  filters: EntryFilters,
  start: EntryStart,
  limit: number,
): Promise<EntryRow[]> {
  const { shard, id } = account ?? INSTALLATION;
  const conditions: Fragment[] = [
    sql`e.shard = ${shard}`,
    sql`e.account_id = ${id}`,
    ...conditionsOf(filters),
  ];
  const isNewestFirst = "belowId" in start;
  if (!isNewestFirst) conditions.push(sql`e.seq > ${start.aboveSeq}`);
  else if (start.belowId !== null) conditions.push(sql`e.id < ${start.belowId}::uuid`);
  const order = isNewestFirst ? sql`e.id desc` : sql`e.seq`;
  return db.query<EntryRow>(
    composed(
      "list_audit_log",
      sql`select ${raw(ENTRY_COLUMNS)} from audit_log e
         where ${join(conditions, " and ")} order by ${order} limit ${limit}`,
      // With one filter, newest first, an index of its own serves; with several, PostgreSQL walks one index and filters
      // by the rest.
      Object.keys(filters).length > (isNewestFirst ? 1 : 0) ? { profile: "scans" } : {},
    ),
  );
}

function conditionsOf(filters: EntryFilters): Fragment[] {
  const conditions: Fragment[] = [];
  if (filters.actor !== undefined) conditions.push(actorIs(filters.actor));
  if (filters.action !== undefined) conditions.push(sql`e.action = ${filters.action}`);
  if (filters.target !== undefined) conditions.push(sql`e.target_id = ${filters.target}`);
  const after = parseTimestampParam(filters.created_after, "created_after");
  if (after !== null) conditions.push(sql`e.id >= ${firstUuidAt(after)}::uuid`);
  const before = parseTimestampParam(filters.created_before, "created_before");
  if (before !== null) conditions.push(sql`e.id < ${firstUuidAt(before)}::uuid`);
  return conditions;
}

/** The operator token and the system have no id: their kind identifies them. */
function actorIs(actor: string): Fragment {
  if (actor === "operator" || actor === "system") {
    return sql`e.actor_id is null and e.actor_type = ${actor}`;
  }
  if (/^(key|usr)_[0-9a-z]{26}$/.test(actor)) return sql`e.actor_id = ${actor}`;
  throw new Problem(
    "invalid_request",
    "actor must be the id of a key (key_…) or of a person (usr_…), or operator, or system.",
    { param: "actor" },
  );
}
