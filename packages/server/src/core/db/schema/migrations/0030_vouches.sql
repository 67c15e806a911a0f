-- The operator vouches for a number that is registered elsewhere: a campaign at the provider, a SIM.
-- The vouch ends with the ownership.
alter table numbers
  add column vouch_reason text,
  add column vouch_reference text,
  add column vouched_at timestamptz,
  add check ((vouched_at is null) = (vouch_reason is null) and (vouched_at is null) = (vouch_reference is null));
