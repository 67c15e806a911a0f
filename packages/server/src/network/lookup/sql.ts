import { statement } from "../../core/db/driver/statement.ts";

const FORGOTTEN_PER_WRITE_MAX = 100;

export const readFindings = statement(
  "read_lookup_findings",
  `select phone_number, line_type, carrier, ported, source, checked_at from lookup_findings
    where phone_number = any($1::text[]) and checked_at > $2`,
);

export const writeFindings = statement(
  "write_lookup_findings",
  `insert into lookup_findings as f (phone_number, line_type, carrier, ported, source, checked_at)
   select r.phone_number, r.line_type, r.carrier, r.ported, r.source, r.checked_at
     from json_to_recordset($1::json) as r (phone_number text, line_type text, carrier text,
            ported boolean, source text, checked_at timestamptz)
    order by r.phone_number
   on conflict (phone_number) do update
     set line_type = excluded.line_type, carrier = excluded.carrier, ported = excluded.ported,
         source = excluded.source, checked_at = excluded.checked_at
   where f.checked_at < excluded.checked_at`,
);

/** Every write deletes a few expired rows, so that the table stays bounded. */
export const forgetFindings = statement(
  "forget_lookup_findings",
  `delete from lookup_findings where ctid = any(array(
     select ctid from lookup_findings where checked_at <= $1
      order by checked_at limit ${FORGOTTEN_PER_WRITE_MAX} for update skip locked))`,
);
