-- Messages that TwiML documents sent: the Twilio-compatible API shows them as `outbound-reply`. Each
-- row is written before its message; a reply that is then refused leaves its row behind.
create table twilio_replies (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  primary key (shard, account_id, id)
) partition by range (id);
create table twilio_replies_default partition of twilio_replies default;
