import { statement } from "../../../core/db/driver/statement.ts";

/**
 * Stores the 16-bit references of a submit whose answer was lost, for the receipt that echoes them.
 */
export const storeReference = statement(
  "store_short_reference",
  `insert into carrier_short_references (carrier, short_reference, our_reference, created_at)
   select $1, r, $3, $4 from unnest($2::int[]) as r on conflict do nothing`,
);

/** Latest lost submits under a short reference, lost before the receipt arrived or soon after. */
export const findReferences = statement(
  "find_short_references",
  `select e.i::int as position, k.our_reference
     from unnest($1::text[], $2::int[], $3::timestamptz[]) with ordinality as e (carrier, reference, received_at, i)
    cross join lateral (
      select our_reference, created_at from carrier_short_references
       where carrier = e.carrier and short_reference = e.reference
         and created_at > e.received_at - $4 * interval '1 ms' and created_at <= e.received_at + $5 * interval '1 ms'
       order by created_at desc limit $6
    ) k
    order by e.i, k.created_at desc`,
);

export const deleteOldReferences = statement(
  "delete_short_references",
  "delete from carrier_short_references where carrier = $1 and created_at <= $2",
);
