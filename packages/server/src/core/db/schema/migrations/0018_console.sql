-- Console users and tokens of operators. Like accounts and keys they are directories that every
-- process sees whole, without a shard.

create table users (
  id uuid primary key,
  email text not null,
  -- The email in comparison form: NFKC, lower case.
  email_key text not null unique,
  name text,
  password_hash text not null,
  -- Encrypted; null until an authenticator app is set up.
  totp_secret bytea,
  -- Time step of the last accepted code: each code works once.
  totp_step bigint not null default 0,
  -- SHA-256 of each unused recovery code.
  recovery_codes bytea[] not null default '{}',
  is_operator boolean not null default false,
  failed_sign_ins integer not null default 0,
  failed_since timestamptz,
  locked_until timestamptz,
  created_at timestamptz not null,
  seen_at timestamptz,
  -- False for a person who wants no mail about problems.
  mail_notices boolean not null default true
);

create table memberships (
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index memberships_by_user on memberships (user_id);

-- Stores the SHA-256 of the cookie's token: a reader of this table cannot sign in with it.
create table console_sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  id uuid not null unique,
  user_id uuid not null references users (id),
  ip text not null,
  agent text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- Time of the last password entry: some calls require one within a few minutes.
  confirmed_at timestamptz not null,
  ends_at timestamptz not null,
  -- Set if an operator looks into another account: one session, as a viewer.
  visited_account_id uuid references accounts (id)
);
create index console_sessions_by_user on console_sessions (user_id, created_at desc);

-- Failed sign-ins per network address, across all users.
create table console_addresses (
  address text primary key,
  misses integer not null,
  missed_since timestamptz not null,
  locked_until timestamptz
);

-- One-time links: the first user, an invitation, a password reset.
create table console_links (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  id uuid not null unique,
  kind text not null check (kind in ('first', 'invitation', 'reset')),
  email text,
  user_id uuid references users (id),
  account_id uuid references accounts (id),
  role text check (role in ('viewer', 'member', 'admin', 'owner')),
  created_by uuid references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index console_links_by_account on console_links (account_id, created_at desc);
-- Password reset links are limited per user, and end with the password.
create index console_links_by_user on console_links (user_id, created_at desc);

-- Saved filters and columns of a list, per user and account; deleted with the membership. Like
-- users they have no shard.
create table console_views (
  id uuid primary key,
  account_id uuid not null,
  user_id uuid not null,
  page text not null,
  name text not null,
  -- The query string of the list's page, uninterpreted.
  query text not null,
  created_at timestamptz not null,
  unique (account_id, user_id, page, name),
  foreign key (account_id, user_id) references memberships (account_id, user_id) on delete cascade
);
create index console_views_by_user on console_views (user_id);

-- Passkeys (WebAuthn) of console users: a public key each, whose private part never leaves the person's device.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id),
  -- Names the key to the browser; unique over all installations.
  credential_id bytea not null unique,
  -- In COSE form.
  public_key bytea not null,
  -- Uses as the device counts them; 0 for keys that are synced between devices.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index passkeys_by_user on passkeys (user_id, created_at);

-- Challenges that were answered: each works once. Rows outlive the challenge, then they are deleted.
create table passkey_challenges (
  challenge bytea primary key,
  answered_at timestamptz not null
);
create index passkey_challenges_by_age on passkey_challenges (answered_at);

-- Problems and decisions that were mailed to people, each once. `subject` names the occurrence.
create table console_notices (
  kind text not null check (kind in ('registration_decided', 'live_access_requested', 'carrier_down', 'carrier_unowned', 'spend_threshold', 'webhook_failing')),
  subject text not null,
  noticed_at timestamptz not null,
  primary key (kind, subject)
);

-- Named tokens of the operator API. They belong to no account, like users. Stores the SHA-256 of
-- each: a reader of this table cannot call with it.
create table operator_tokens (
  id uuid primary key,
  name text not null,
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  last4 text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
