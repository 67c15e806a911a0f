import { statement } from "../../db/statement.ts";

/** Our 16-bit reference of a submit whose answer was lost, for the receipt that echoes it. */
export const keepReference = statement(
  "keep_short_reference",
  `insert into carrier_short_references (carrier, short_reference, our_reference, created_at)
   select $1, r, $3, $4 from unnest($2::int[]) as r on conflict do nothing`,
);

export const findReference = statement(
  "find_short_reference",
  `select our_reference from carrier_short_references
    where carrier = $1 and short_reference = $2 and created_at > $3
    order by created_at desc limit 1`,
);

/** Whether any answer of this carrier was lost lately, and what is too old is forgotten. */
export const countReferences = statement(
  "count_short_references",
  `with old as (
     delete from carrier_short_references where carrier = $1 and created_at <= $2
   )
   select count(*)::int as kept from carrier_short_references where carrier = $1 and created_at > $2`,
);
