-- People who sign in to the console. Like accounts and keys these are directories that every process
-- sees whole: they carry no shard.

create table users (
  id uuid primary key,
  email text not null,
  -- The email as it is compared: NFKC, lower case.
  email_key text not null unique,
  name text,
  password_hash text not null,
  -- Sealed; null until an authenticator app is set up.
  totp_secret bytea,
  -- The last time step whose code was taken: each code works once.
  totp_step bigint not null default 0,
  -- SHA-256 of each recovery code that is left.
  recovery_codes bytea[] not null default '{}',
  is_operator boolean not null default false,
  failed_sign_ins integer not null default 0,
  failed_since timestamptz,
  locked_until timestamptz,
  created_at timestamptz not null,
  seen_at timestamptz
);

create table memberships (
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index memberships_by_user on memberships (user_id);

-- A session is known by the SHA-256 of the token in its cookie, so whoever reads this table can
-- enter with nothing in it.
create table console_sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  id uuid not null unique,
  user_id uuid not null references users (id),
  ip text not null,
  agent text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- When the password was last given: some calls want that to be a few minutes ago at most.
  confirmed_at timestamptz not null,
  ends_at timestamptz not null
);
create index console_sessions_by_user on console_sessions (user_id, created_at desc);

-- Wrong passwords by the network address they came from, whoever they were for.
create table console_addresses (
  address text primary key,
  misses integer not null,
  missed_since timestamptz not null,
  locked_until timestamptz
);

-- Links that work once: the first user, an invitation, a new password.
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
