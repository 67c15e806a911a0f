import { statement } from "../db/statement.ts";

/** Numbers and registrations of one account change one after the other, in whatever process. */
export const lockSenders = statement(
  "lock_senders",
  "select pg_advisory_xact_lock(hashtextextended('senders ' || $1::text, 0))",
);

/** The numbers of an account that need a registration, oldest first. */
export const findFollowers = statement(
  "find_followers",
  `select n.id, n.phone_number, n.customer_id, n.registration_id, n.registration_tied, n.sender_state,
          n.sender_reason
     from numbers n
    where n.account_id = $1 and n.released_at is null and n.mode = 'live' and n.type = 'local'
      and n.country = 'US'
    order by n.id`,
);

export const moveSenders = statement(
  "move_senders",
  `update numbers n
      set registration_id = g.registration_id, sender_state = g.state, sender_reason = g.reason,
          sender_updated_at = case when n.sender_state = g.state then n.sender_updated_at else $2 end
     from jsonb_to_recordset($1::jsonb) as g (id uuid, registration_id uuid, state text, reason text)
    where n.id = g.id and n.released_at is null`,
);

export const tieNumber = statement(
  "tie_number",
  "update numbers set registration_id = $2, registration_tied = true where id = $1",
);
