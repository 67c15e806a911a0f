import { statement } from "../../core/db/driver/statement.ts";

export const findAttempts = statement(
  "find_submit_attempts",
  `select attempt, carrier, outcome, carrier_code, submitted_at, answered_at from submit_attempts
    where shard = $1 and account_id = $2 and message_id = $3 order by attempt limit 20`,
);

export const findReceipts = statement(
  "find_receipts",
  `select payload, received_at from carrier_inbox
    where shard = $1 and message_id = $2 and kind = 'receipt' order by received_at limit 20`,
);
