-- A batch: one message to many recipients. The transaction that moves recipients also updates the
-- counts of the batch row, so counts add up in every read. Moving a recipient or submitting a batch
-- message locks the batch row, so the commit of a pause or cancel decides what still leaves.
--
-- `paused` and `canceled` recipients are derived from the batch's status. Pausing or canceling
-- changes this row alone, whatever the number of waiting recipients.
create table batches (
  shard integer not null,
  account_id uuid not null,
  id uuid not null,
  name text,
  status text not null check (status in ('scheduled', 'sending', 'paused', 'complete', 'canceled')),
  mode text not null check (mode in ('test', 'live')),
  from_number text not null,
  body text not null,
  customer_id uuid,
  topic_id uuid,
  scheduled_at timestamptz,
  -- Recipients per state.
  total integer not null,
  waiting integer not null,
  handed integer not null default 0,
  retrying integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  -- Next step of the batches lane; null if there is none.
  due_at timestamptz,
  -- The account was suspended when the batch was due: the batch waits for the account.
  suspended boolean not null default false,
  -- No recipient below this index is waiting.
  next_index integer not null default 0,
  -- Resumes deferred messages from this index on: retries them after a resume, fails them after a
  -- cancel. Null when nothing is left to resume.
  wake_index integer,
  retry_running boolean not null default false,
  created_at timestamptz not null,
  -- Time of the last status change.
  changed_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  canceled_at timestamptz,
  -- Recipients whose message no carrier accepted by then fail.
  expires_at timestamptz,
  -- Quiet hours of its own, packed as in accounts; 0: none; null: the account's.
  quiet_hours integer,
  metadata json,
  -- Choice of the recipients, in the API's form; ids are API ids.
  audience json not null,
  -- API id of the key or the user.
  created_by text not null,
  primary key (shard, id),
  check (waiting >= 0 and handed >= 0 and retrying >= 0 and sent >= 0 and failed >= 0 and skipped >= 0),
  check (total = waiting + handed + retrying + sent + failed + skipped),
  check (status <> 'scheduled' or scheduled_at is not null),
  check (status <> 'complete' or (waiting + handed + retrying = 0 and completed_at is not null)),
  check (status <> 'canceled' or canceled_at is not null)
);
create index batches_by_status on batches (shard, account_id, mode, status, id desc);
create index batches_by_mode on batches (shard, account_id, mode, id desc);
create index batches_due on batches (shard, due_at, id) where due_at is not null and not suspended;
create index batches_suspended on batches (shard, account_id) where suspended;

-- `waiting`: not sent yet; `handed`: submitted, no response yet; `retrying`: the carrier refused
-- for now; `sent`, `failed` and `skipped` as in the API.
create table batch_recipients (
  shard integer not null,
  batch_id uuid not null,
  -- Row number in the uploaded file.
  index integer not null,
  to_number text not null,
  variables json,
  state text not null check (state in ('waiting', 'handed', 'retrying', 'sent', 'failed', 'skipped')),
  message_id uuid,
  attempts integer not null default 0 check (attempts between 0 and 3),
  failure_code text,
  carrier_code text,
  updated_at timestamptz not null,
  metadata json,
  primary key (shard, batch_id, index),
  check (state not in ('handed', 'retrying', 'sent') or message_id is not null),
  check (state not in ('failed', 'skipped') or failure_code is not null)
) partition by range (batch_id);
-- Every recipient changes once soon after the insert: the fill factor leaves room on the page.
create table batch_recipients_default partition of batch_recipients default with (fillfactor = 45);

-- Pacing: when each sending number is free for its next batch messages. Unlogged: after a database
-- crash a number is free at once, so at worst one chunk leaves early.
create unlogged table batch_pace (
  shard integer not null,
  account_id uuid not null,
  from_number text not null,
  free_at timestamptz not null,
  primary key (shard, account_id, from_number)
);
