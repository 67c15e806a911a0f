import { SCHEDULED_MESSAGE_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard } from "../../core/queue/lane.ts";

/** Statements on scheduled messages. */

/** Moves of a due message. */
const DUE_MOVES = [SCHEDULED_MESSAGE_MOVES.due, SCHEDULED_MESSAGE_MOVES.check_failed] as const;

const SCHEDULED_COLUMNS = `s.shard, s.account_id, s.id, s.status, s.mode, s.to_number, s.sender, s.body,
  s.customer_id, s.scheduled_at, s.message_id, s.failure_code, s.created_at, s.canceled_at, s.valid_for_seconds,
  s.quiet_hours, s.metadata`;

export const insertScheduled = statement(
  "insert_scheduled_message",
  `insert into scheduled_messages
     (shard, account_id, id, status, mode, to_number, sender, body, customer_id, scheduled_at, created_at,
      valid_for_seconds, quiet_hours, metadata)
   values ($1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

export const findScheduled = statement(
  "find_scheduled_message",
  `select ${SCHEDULED_COLUMNS} from scheduled_messages s
    where s.shard = $1 and s.account_id = $2 and s.id = $3`,
);

export const cancelScheduled = statement(
  "cancel_scheduled_message",
  `update scheduled_messages s set status = ${sqlLiteral(SCHEDULED_MESSAGE_MOVES.cancel.to)}, canceled_at = $4
    where s.shard = $1 and s.account_id = $2 and s.id = $3
      and ${comesFrom("s.status", SCHEDULED_MESSAGE_MOVES.cancel)}
   returning ${SCHEDULED_COLUMNS}`,
  { moves: [SCHEDULED_MESSAGE_MOVES.cancel] },
);

/** Due messages, earliest first. The row lock orders them against a concurrent cancel. */
export const claimScheduled = statement(
  "claim_scheduled_messages",
  `select ${SCHEDULED_COLUMNS}, acc.name as account_name, acc.status as account_status,
          acc.live_access, acc.rate_limit, acc.daily_message_quota, acc.phrase_opt_out,
          acc.smart_encoding,
          acc.quiet_hours as account_quiet_hours, acc.opt_in_required as account_opt_in_required, acc.created_at as account_created_at
     from scheduled_messages s join accounts acc on acc.id = s.account_id
    where s.shard = $1 and s.scheduled_at <= $2 and ${comesFrom("s.status", ...DUE_MOVES)}
    order by s.scheduled_at, s.id limit $3 for update of s skip locked`,
);

export const finishScheduled = statement(
  "finish_scheduled_messages",
  `update scheduled_messages s
      set status = i.status, message_id = i.message_id, failure_code = i.failure_code
     from jsonb_to_recordset($2::jsonb) as i (id uuid, status text, message_id uuid, failure_code text)
    where s.shard = $1 and s.id = i.id and ${comesFrom("s.status", ...DUE_MOVES)}`,
  { moves: DUE_MOVES },
);

export const scheduledDue = dueByShard("scheduled_messages_due_by_shard", {
  table: "scheduled_messages",
  dueAt: "scheduled_at",
  where: "status = 'pending'",
});
