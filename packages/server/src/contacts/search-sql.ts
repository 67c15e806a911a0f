import type { AccountRef } from "../db/account-cache.ts";
import { type Fragment, raw, sql } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import { NEIGHBOURS } from "../platform/ids.ts";
import { GIVEN_TAGS } from "./tag-lines.ts";

/** Every statement on what contacts are found by; lists compose theirs in list.ts and choose.ts. */

/** The rows that are written; $1 and $2 are the shard and the account. */
const ROWS = "unnest($3::uuid[], $4::text[], $5::text[]) as r (first_id, text, terms)";

export const insertSearchRows = statement(
  "insert_contact_search",
  `insert into contact_search (shard, account_id, first_id, text, terms)
   select $1, $2, r.first_id, r.text, r.terms::int[] from ${ROWS}`,
);

export const lockSearchRows = statement(
  "lock_contact_search",
  `select 1 from contact_search s
    where s.shard = $1 and s.account_id = $2 and s.first_id = any($3::uuid[])
    order by s.first_id for update`,
);

/** The last of the ids that differ from the first one in their last digit. */
const lastNeighbour = (firstId: string) => `overlay(${firstId}::text placing 'f' from 36)::uuid`;

/** Contacts by their first neighbours ($3), in the order of their ids. */
export const readNeighbours = statement(
  "read_neighbours",
  `select c.id, c.phone_number, c.name, c.email, c.company, ${GIVEN_TAGS} as tags
     from unnest($3::uuid[]) as s (first_id)
     cross join lateral (
       select * from contacts c
        where c.shard = $1 and c.account_id = $2
          and c.id between s.first_id and ${lastNeighbour("s.first_id")}
        limit ${NEIGHBOURS}) c
    order by c.id`,
);

export const updateSearchRows = statement(
  "update_contact_search",
  `update contact_search s set text = r.text, terms = r.terms::int[]
     from ${ROWS}
    where s.shard = $1 and s.account_id = $2 and s.first_id = r.first_id`,
  {
    // Arrays are read in a subquery of its own, which the offset keeps: Citus reads none in what it updates.
    onCitus: `update contact_search s set text = r.text, terms = r.terms
       from (select first_id, text, terms::int[] as terms from ${ROWS} offset 0) as r
      where s.shard = $1 and s.account_id = $2 and s.first_id = r.first_id`,
  },
);

export const deleteSearchRows = statement(
  "delete_contact_search",
  `delete from contact_search s
    where s.shard = $1 and s.account_id = $2 and s.first_id = any($3::uuid[])`,
);

/**
 * Contacts `c` beside rows `s` that name their first neighbours: a range of the primary key for each,
 * which the limit makes sure of.
 */
export function neighbours(account: AccountRef): Fragment {
  return sql`cross join lateral (
    select * from contacts n
     where n.shard = ${account.shard} and n.account_id = ${account.id}
       and n.id between s.first_id and ${raw(lastNeighbour("s.first_id"))}
     limit ${raw(String(NEIGHBOURS))}) c`;
}
