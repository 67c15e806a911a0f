import { foldCase, messageMachine } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import type { MessageRow } from "./message-row.ts";

/**
 * Messages of the account that a search of bodies reads, the newest first. An index of bodies would cost every send
 * more than its row; docs/decisions/0031-search-of-bodies.md has the figures.
 */
export const BODIES_SEARCHED_MAX = 10_000;
/** No id is further in the future than this. */
const AHEAD_MS_MAX = 86_400_000;

export type FoundBody = Pick<
  MessageRow,
  "id" | "direction" | "status" | "from_number" | "to_number" | "body" | "created_at"
>;

/** Newest messages of the caller's mode whose body contains a string, in any case. */
export function searchBodies(
  deps: Pick<Base, "db" | "clock">,
  { account, mode }: ModedCaller,
  text: string,
  limit: number,
): Promise<readonly FoundBody[]> {
  const before = firstUuidAt(deps.clock.now() + AHEAD_MS_MAX);
  return deps.db.query<FoundBody>(
    composed(
      "search_message_bodies",
      sql`select m.id, m.direction, m.status, m.from_number, m.to_number, m.body, m.created_at
            from (select walk.id from unnest(${messageMachine.states}::text[]) as x (status) cross join lateral (
                    select s.id from message_statuses s
                     where s.shard = ${account.shard} and s.account_id = ${account.id} and s.mode = ${mode}
                       and s.status = x.status and s.id < ${before}::uuid
                     order by s.id desc limit ${BODIES_SEARCHED_MAX}) as walk
                   order by walk.id desc limit ${BODIES_SEARCHED_MAX}) as newest
           cross join lateral (
             select * from messages x where x.shard = ${account.shard} and x.id = newest.id limit 1) as m
           where strpos(lower(m.body), ${foldCase(text)}) > 0
           order by m.id desc limit ${limit}`,
      { profile: "scans" },
    ),
  );
}
