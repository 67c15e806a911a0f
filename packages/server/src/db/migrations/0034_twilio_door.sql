-- Where the sender of a text wants to hear what became of it, as the other provider's interface asks for it. The
-- id is that of the message, or of the scheduled one that it was made of; it is written before the text is, so
-- that no event of the text finds it missing.
create table twilio_callbacks (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  url text not null,
  primary key (shard, id)
);

-- Where a number's texts are told of, in the same manner.
create table twilio_numbers (
  shard integer not null,
  account_id uuid not null,
  number_id uuid not null,
  sms_url text not null,
  sms_method text not null check (sms_method in ('GET', 'POST')),
  updated_at timestamptz not null,
  primary key (shard, account_id, number_id)
);

-- The other provider lists scheduled messages among the others, newest first.
create index scheduled_messages_unsent on scheduled_messages (shard, account_id, id desc)
  where status <> 'sent';
