import { statement } from "../../core/db/driver/statement.ts";

export const insertCallback = statement(
  "remember_callback",
  "insert into twilio_callbacks (shard, account_id, id, url) values ($1, $2, $3, $4)",
);

/** Callback URL of a message, by its own id or that of its scheduled message. */
export const findCallback = statement(
  "find_callback",
  `select url from twilio_callbacks
    where shard = $1 and account_id = $2 and id = any($3::uuid[]) limit 1`,
);

export const setNumberUrl = statement(
  "set_number_callback",
  `insert into twilio_numbers (shard, account_id, number_id, sms_url, sms_method, updated_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (shard, account_id, number_id) do update
     set sms_url = excluded.sms_url, sms_method = excluded.sms_method, updated_at = excluded.updated_at`,
);

export const findNumberUrls = statement(
  "find_number_callbacks",
  `select number_id, sms_url, sms_method, updated_at from twilio_numbers
    where shard = $1 and account_id = $2 and number_id = any($3::uuid[])`,
);

/** Marks a message as a TwiML reply. */
export const insertReply = statement(
  "remember_twiml_reply",
  "insert into twilio_replies (shard, account_id, id) values ($1, $2, $3)",
);

export const findReplies = statement(
  "find_twiml_replies",
  `select id from twilio_replies
    where shard = $1 and account_id = $2 and id = any($3::uuid[])`,
);
