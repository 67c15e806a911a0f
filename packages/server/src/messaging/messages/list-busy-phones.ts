import type { Base } from "../base.ts";
import { statement } from "../db/statement.ts";
import type { Direction, Filters } from "./list-filters.ts";
import type { Listed } from "./list-walks.ts";

/** Where a number stands in a text. */
export type End = "from_number" | "to_number";

/** Whether one of two numbers has more texts than the other is not looked into any further than this. */
const COUNTED_TEXTS_MAX = 1_001;

/** How many of `end`'s texts there are on one way, counted up to $5. */
function countAt(end: End, direction: Direction, parameter: "$3" | "$4"): string {
  return `(select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.${end} = ${parameter} and not m.from_service
                and m.direction = '${direction}' limit $5) as counted)::int`;
}

/** $3 the number that texts are from, $4 the one they are to. */
const countBetween = statement(
  "count_texts_between",
  `select ${countAt("from_number", "outbound", "$3")} as own_outbound,
          ${countAt("to_number", "outbound", "$4")} as phone_outbound,
          ${countAt("to_number", "inbound", "$4")} as own_inbound,
          ${countAt("from_number", "inbound", "$3")} as phone_inbound`,
);

/** Between two numbers: the ways on which the phone has many texts, and the account's own number few. */
export async function readBusyPhones(
  deps: Pick<Base, "db">,
  account: Listed,
  { to, from }: Filters,
): Promise<readonly Direction[]> {
  if (to === null || from === null) return [];
  const values = [account.shard, account.id, from, to, COUNTED_TEXTS_MAX];
  const [counts] = await deps.db.query<Record<`${"own" | "phone"}_${Direction}`, number>>(
    countBetween,
    values,
  );
  if (!counts) return [];
  const ways: readonly Direction[] = ["outbound", "inbound"];
  return ways.filter((way) => counts[`phone_${way}`] > counts[`own_${way}`]);
}
