import type { Base } from "../../core/base.ts";
import { composed, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import type { ScheduledRow } from "./scheduled-row.ts";

export interface UnsentFilters {
  readonly to: string | null;
  /** A number, or the id of a pool. */
  readonly from: string | null;
  readonly belowId: string | null;
  readonly limit: number;
}

/** Lists scheduled messages of the mode that are pending, canceled or failed without a message, newest first. */
export async function listUnsent(
  { db }: Pick<Base, "db">,
  { account, mode }: ModedCaller,
  { to, from, belowId, limit }: UnsentFilters,
): Promise<ScheduledRow[]> {
  const conditions: Fragment[] = [
    sql`shard = ${account.shard}`,
    sql`account_id = ${account.id}`,
    sql`mode = ${mode}`,
    sql`message_id is null`,
  ];
  if (to !== null) conditions.push(sql`to_number = ${to}`);
  if (from !== null) conditions.push(sql`sender = ${from}`);
  if (belowId !== null) conditions.push(sql`id < ${belowId}::uuid`);
  return db.query<ScheduledRow>(
    composed(
      "list_unsent_messages",
      sql`select * from scheduled_messages where ${join(conditions, " and ")}
           order by id desc limit ${limit}`,
      to === null && from === null ? {} : { profile: "scans" },
    ),
  );
}
