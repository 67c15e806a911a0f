-- One text to many. A batch's row holds its counts, changed in the transaction that moves its
-- recipients, so they add up in every read. Whoever moves a recipient, or hands a text of the
-- batch to a carrier, holds the lock of this row: an action on the batch (pause, cancel) decides
-- at its own commit what may still leave.
--
-- `paused` and `canceled` recipients are read off the batch's status: those that wait (for their
-- turn, or for a carrier's next attempt) are held or canceled by one change of this row, however
-- many they are.
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
  -- How many recipients are in each state.
  total integer not null,
  waiting integer not null,
  handed integer not null default 0,
  retrying integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  -- When the lane of batches has something to do here; null when it has not.
  due_at timestamptz,
  -- The account was suspended when the batch's turn came: the turn waits for the account.
  held boolean not null default false,
  -- No recipient before this index waits for its turn.
  next_index integer not null default 0,
  -- Texts that a carrier refused for now are being woken, from this index on: after a resume to be
  -- tried again, after a cancel to be given up. Null when there is nothing to wake.
  wake_index integer,
  retry_running boolean not null default false,
  created_at timestamptz not null,
  -- When the status changed last.
  changed_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  canceled_at timestamptz,
  -- Recipients whose text no carrier has taken by then fail.
  expires_at timestamptz,
  -- Its own quiet hours, as accounts keep them; 0: none; null: those of the account.
  quiet_hours integer,
  primary key (shard, id),
  check (waiting >= 0 and handed >= 0 and retrying >= 0 and sent >= 0 and failed >= 0 and skipped >= 0),
  check (total = waiting + handed + retrying + sent + failed + skipped),
  check (status <> 'scheduled' or scheduled_at is not null),
  check (status <> 'complete' or (waiting + handed + retrying = 0 and completed_at is not null)),
  check (status <> 'canceled' or canceled_at is not null)
);
create index batches_by_account on batches (shard, account_id, id desc);
create index batches_by_status on batches (shard, account_id, status, id desc);
create index batches_by_mode on batches (shard, account_id, mode, id desc);
create index batches_due on batches (shard, due_at, id) where due_at is not null and not held;
create index batches_held on batches (shard, account_id) where held;

-- `waiting` for its turn; `handed` to a carrier, no answer yet; `retrying`: the carrier refused it
-- for now; `sent`, `failed` and `skipped` as the API has them.
create table batch_recipients (
  shard integer not null,
  batch_id uuid not null,
  -- The row of the upload.
  index integer not null,
  to_number text not null,
  variables json,
  state text not null check (state in ('waiting', 'handed', 'retrying', 'sent', 'failed', 'skipped')),
  message_id uuid,
  attempts integer not null default 0 check (attempts between 0 and 3),
  failure_code text,
  carrier_code text,
  updated_at timestamptz not null,
  primary key (shard, batch_id, index),
  check (state not in ('handed', 'retrying', 'sent') or message_id is not null),
  check (state not in ('failed', 'skipped') or failure_code is not null)
) partition by range (batch_id);
-- Every recipient changes once soon after it was written: pages have room for that.
create table batch_recipients_default partition of batch_recipients default with (fillfactor = 45);

-- When each sending number is free for the next texts of its batches. Unlogged: after a crash of
-- the database a number is free at once, which is one chunk early at worst.
create unlogged table batch_pace (
  shard integer not null,
  account_id uuid not null,
  from_number text not null,
  free_at timestamptz not null,
  primary key (shard, account_id, from_number)
);
