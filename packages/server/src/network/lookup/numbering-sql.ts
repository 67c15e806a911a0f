import { statement } from "../../core/db/driver/statement.ts";

export const insertLoad = statement(
  "insert_numbering_load",
  "insert into numbering_loads (id, started_at) values ($1::uuid, $2)",
);

export const insertRanges = statement(
  "insert_numbering_ranges",
  `insert into numbering_ranges (load_id, npa_nxx, line_type, carrier, locality, region)
   select $1::uuid, r.* from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[])
       as r (npa_nxx, line_type, carrier, locality, region)`,
);

/** Puts a file into effect and deletes the previous one. */
export const switchLoad = statement(
  "switch_numbering_load",
  `with gone as (
     delete from numbering_loads where loaded_at is not null and id <> $1::uuid returning id
   ), gone_ranges as (
     delete from numbering_ranges r using gone where r.load_id = gone.id
   )
   update numbering_loads set loaded_at = $2 where id = $1::uuid`,
);

export const dropLoad = statement(
  "drop_numbering_load",
  `with gone as (
     delete from numbering_loads where id = $1::uuid and loaded_at is null returning id
   )
   delete from numbering_ranges r using gone where r.load_id = gone.id`,
);

/** Loads left behind by processes that died in the middle of a file. */
export const dropAbandonedLoads = statement(
  "drop_abandoned_numbering_loads",
  `with gone as (
     delete from numbering_loads where loaded_at is null and started_at < $1 returning id
   )
   delete from numbering_ranges r using gone where r.load_id = gone.id`,
);

export const readLoad = statement(
  "read_numbering_load",
  `select id, loaded_at from numbering_loads where loaded_at is not null
    order by loaded_at desc limit 1`,
);

export const readRanges = statement(
  "read_numbering_ranges",
  `select npa_nxx, line_type, carrier, locality, region from numbering_ranges
    where load_id = $1::uuid and npa_nxx = any($2::int[])`,
);
