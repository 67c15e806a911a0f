import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Direction, Filters } from "./list-filters.ts";
import type { Listed } from "./list-walks.ts";

/** Column of a message that has the number. */
export type End = "from_number" | "to_number";

/** Counting stops here: a number with this many messages is busy either direction. */
const COUNTED_MESSAGES_MAX = 1_001;

/** Counts the messages of `end` in one direction, up to $5. */
function countAt(end: End, direction: Direction, parameter: "$3" | "$4"): string {
  return `(select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.mode = $6 and m.${end} = ${parameter} and not m.from_service
                and m.direction = '${direction}' limit $5) as counted)::int`;
}

/** $3 the sending number, $4 the receiving number, $6 the mode. */
const countBetween = statement(
  "count_messages_between",
  `select ${countAt("from_number", "outbound", "$3")} as own_outbound,
          ${countAt("to_number", "outbound", "$4")} as phone_outbound,
          ${countAt("to_number", "inbound", "$4")} as own_inbound,
          ${countAt("from_number", "inbound", "$3")} as phone_inbound`,
);

/** Directions in which the phone has many messages and the account's own number few. */
export async function readBusyPhones(
  deps: Pick<Base, "db">,
  account: Listed,
  { mode, to, from }: Filters,
): Promise<readonly Direction[]> {
  if (to === null || from === null) return [];
  const values = [account.shard, account.id, from, to, COUNTED_MESSAGES_MAX, mode];
  const [counts] = await deps.db.query<Record<`${"own" | "phone"}_${Direction}`, number>>(
    countBetween,
    values,
  );
  if (!counts) return [];
  const directions: readonly Direction[] = ["outbound", "inbound"];
  return directions.filter(
    (direction) => counts[`phone_${direction}`] > counts[`own_${direction}`],
  );
}
