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

/** URL for the messages of an account's number, and the pools that the number is in. */
export const findInboundUrl = statement(
  "find_inbound_url",
  `select n.sms_url, n.sms_method, array(
            select m.pool_id from pool_members m
             where m.shard = $1 and m.account_id = $2 and m.number_id = n.id limit 2) as pools
     from numbers n
    where n.account_id = $2 and n.phone_number = $3 and n.released_at is null`,
);

/** URLs of the numbers in these pools. */
export const findPoolUrls = statement(
  "find_pool_urls",
  `select m.pool_id, n.sms_url, n.sms_method
     from pool_members m join numbers n on n.id = m.number_id
    where m.shard = $1 and m.account_id = $2 and m.pool_id = any($3::uuid[])`,
);

/** Change of consent that an inbound message made. */
export const findConsentOf = statement(
  "find_consent_of_message",
  `select status from consent_ledger
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = $4 and message_id = $5
    order by number_seq desc limit 1`,
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
