import { SENDER_MOVES } from "@longwave/contract";
import { isMove } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";

/** Serializes changes of one account's numbers and registrations across processes. */
export const lockSenders = statement(
  "lock_senders",
  "select pg_advisory_xact_lock(hashtextextended('senders ' || $1::text, 0))",
);

const LINKED_NUMBER_COLUMNS = `n.id, n.phone_number, n.type, n.customer_id, n.registration_id, n.registration_tied,
          n.sender_state, n.sender_reason, n.linked_to, n.link_id, n.link_failed_to,
          n.vouched_at is not null as is_vouched`;

/** Numbers of an account that may need a registration, oldest first. */
export const findLinkedNumbers = statement(
  "find_linked_numbers",
  `select ${LINKED_NUMBER_COLUMNS}
     from numbers n
    where n.account_id = $1 and n.released_at is null and n.mode = 'live'
      and (n.type = 'toll_free' or n.country = 'US')
    order by n.id`,
);

/** Numbers in the link under way $2. */
export const findLinking = statement(
  "find_linking_numbers",
  `select ${LINKED_NUMBER_COLUMNS} from numbers n
    where n.account_id = $1 and n.link_id = $2 and n.released_at is null
    order by n.id`,
);

export const updateSenderColumns = statement(
  "update_sender_columns",
  `update numbers n
      set registration_id = g.registration_id, sender_reason = g.sender_reason, linked_to = g.linked_to,
          link_id = g.link_id, link_failed_to = g.link_failed_to
     from jsonb_to_recordset($1::jsonb) as g (id uuid, registration_id uuid, sender_reason text,
            linked_to uuid, link_id uuid, link_failed_to uuid)
    where n.id = g.id and n.released_at is null`,
);

const MOVES = Object.values(SENDER_MOVES);

export const moveSenders = statement(
  "move_senders",
  `update numbers n set sender_state = g.after, sender_updated_at = $2
     from (select m.id, m.after, o.sender_state as before
             from jsonb_to_recordset($1::jsonb) as m (id uuid, after text)
             join numbers o on o.id = m.id) g
    where n.id = g.id and n.released_at is null and n.sender_state = g.before
      and ${isMove("g.before", "g.after", ...MOVES)}
   returning n.id`,
  { moves: MOVES },
);

// Clears a failed link, so that it is retried, and one under way.
export const tieNumber = statement(
  "tie_number",
  `update numbers set registration_id = $2, registration_tied = true, link_id = null, link_failed_to = null
    where id = $1`,
);

export const storeVouch = statement(
  "store_vouch",
  "update numbers set vouch_reason = $2, vouch_reference = $3, vouched_at = $4 where id = $1",
);
