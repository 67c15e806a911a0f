import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { containsSql, isNoNumbers, type NumberSet, valuesOf } from "../carriers/index.ts";

const findLiveNumbers = statement(
  "find_live_numbers",
  `select n.phone_number from numbers n join accounts a on a.id = n.account_id
    where n.mode = 'live' and n.released_at is null
      and a.live_access = 'granted' and a.status = 'active'
      and ${containsSql("n.phone_number", "$1", "$2")}
    order by n.phone_number limit $3`,
);

/** Live numbers in a set whose accounts may send; at most `max`. */
export async function liveNumbersIn(
  { db }: Pick<Base, "db">,
  set: NumberSet,
  max: number,
): Promise<string[]> {
  if (isNoNumbers(set)) return [];
  const values = [...valuesOf(set), max];
  const rows = await db.query<{ phone_number: string }>(findLiveNumbers, values);
  return rows.map((row) => row.phone_number);
}
