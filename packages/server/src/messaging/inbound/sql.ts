import { statement } from "../../core/db/driver/statement.ts";

export const insertReceived = statement(
  "insert_received_message",
  `with listed as (
     insert into message_statuses (shard, account_id, mode, status, id, simulated)
     values ($1, $2, $4, 'received', $3, $12)
   )
   insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
     encoding, segments, price_micros, billing, simulated, customer_id, carrier, created_at)
   values ($1, $2, $3, 'inbound', 'received', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
);
