import type { Base } from "../base.ts";
import { holdsSql, isNobody, type NumberSet, valuesOf } from "../carriers/index.ts";
import { statement } from "../db/statement.ts";

const findLiveNumbers = statement(
  "find_live_numbers",
  `select n.phone_number from numbers n join accounts a on a.id = n.account_id
    where n.mode = 'live' and n.released_at is null
      and a.live_access = 'granted' and a.status = 'active'
      and ${holdsSql("n.phone_number", "$1", "$2")}
    order by n.phone_number limit $3`,
);

/** Which live numbers of accounts that may send are in a set; so many at most. */
export async function liveNumbersIn(
  { db }: Pick<Base, "db">,
  set: NumberSet,
  max: number,
): Promise<string[]> {
  if (isNobody(set)) return [];
  const values = [...valuesOf(set), max];
  const rows = await db.query<{ phone_number: string }>(findLiveNumbers, values);
  return rows.map((row) => row.phone_number);
}
