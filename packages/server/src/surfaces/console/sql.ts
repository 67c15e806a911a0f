import { ACCOUNT_COLUMNS } from "../../account/accounts/index.ts";
import { statement } from "../../core/db/driver/statement.ts";

export const countUsers = statement("count_users", "select count(*)::int as users from users");

const USER =
  "select u.*, exists (select from passkeys p where p.user_id = u.id) as has_passkeys from users u";

export const findUserByEmail = statement(
  "find_user_by_email",
  `${USER} where email_key = $1 for update of u`,
);

/** `findUserByEmail` without a row lock. */
export const readUserByEmail = statement("read_user_by_email", `${USER} where email_key = $1`);

export const findUser = statement("find_user", `${USER} where id = $1 for update of u`);

export const readUser = statement("read_user", `${USER} where id = $1`);

export const insertUser = statement(
  "insert_user",
  `insert into users (id, email, email_key, name, password_hash, is_operator, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict (email_key) do nothing returning id`,
);

export const setUserFailures = statement(
  "set_user_failures",
  "update users set failed_sign_ins = $2, failed_since = $3, locked_until = $4 where id = $1",
);

export const clearUserFailures = statement(
  "clear_user_failures",
  "update users set failed_sign_ins = 0, failed_since = null, locked_until = null where id = $1",
);

export const setPassword = statement(
  "set_password",
  "update users set password_hash = $2, failed_sign_ins = 0, locked_until = null where id = $1",
);

export const setUserName = statement("set_user_name", "update users set name = $2 where id = $1");

export const setTotp = statement(
  "set_totp",
  "update users set totp_secret = $2, totp_step = $3, recovery_codes = $4 where id = $1",
);

/** Requires a second factor: recovery codes alone would be a second password. */
export const setRecoveryCodes = statement(
  "set_recovery_codes",
  `update users u set recovery_codes = $2
    where id = $1 and (totp_secret is not null or exists (select from passkeys p where p.user_id = u.id))
   returning id`,
);

/** Turns the authenticator app off. Recovery codes stay while the user has passkeys. */
export const dropTotp = statement(
  "drop_totp",
  `update users u set totp_secret = null, totp_step = 0,
          recovery_codes = case when exists (select from passkeys p where p.user_id = u.id) then recovery_codes else '{}' end
    where id = $1`,
);

export const takeTotpStep = statement(
  "take_totp_step",
  "update users set totp_step = $2 where id = $1 and totp_step < $2 returning id",
);

export const takeRecoveryCode = statement(
  "take_recovery_code",
  `update users set recovery_codes = array_remove(recovery_codes, $2)
    where id = $1 and $2 = any (recovery_codes) returning id`,
);

/** Accounts of a user, with the role in each. */
export const listMemberships = statement(
  "list_memberships",
  `select m.role, ${ACCOUNT_COLUMNS}
     from memberships m join accounts a on a.id = m.account_id
    where m.user_id = $1 order by a.created_at, a.id`,
);

export const upsertMembership = statement(
  "upsert_membership",
  `insert into memberships (account_id, user_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (account_id, user_id) do update set role = excluded.role`,
);

export const deleteMembership = statement(
  "delete_membership",
  "delete from memberships where account_id = $1 and user_id = $2 returning role",
);

/** Locks every owner of the account, so that two owners cannot leave at the same moment. */
export const lockOwners = statement(
  "lock_owners",
  "select user_id from memberships where account_id = $1 and role = 'owner' order by user_id for update",
);

export const findMembership = statement(
  "find_membership",
  `select m.role, u.id as user_id, u.email, u.name, u.is_operator from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and m.user_id = $2`,
);

/** Membership of the user with this email. */
export const findMemberByEmail = statement(
  "find_member_by_email",
  `select m.role from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and u.email_key = $2`,
);

/** Newest use of the user's sessions; their last sign-in or sign-out once no session is left. */
const LAST_ACTIVE = `greatest(u.seen_at,
  (select max(s.used_at) from console_sessions s where s.user_id = u.id)) as seen_at`;

export const listMembers = statement(
  "list_members",
  `select m.role, m.created_at, u.id as user_id, u.email, u.name, ${LAST_ACTIVE},
          u.totp_secret is not null or exists (select from passkeys p where p.user_id = u.id) as second_factor
     from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 order by m.created_at, u.id limit 500`,
);

export const listInvitations = statement(
  "list_invitations",
  `select id, email, role, created_at, expires_at from console_links
    where account_id = $1 and kind = 'invitation' and used_at is null and expires_at > $2
    order by created_at desc limit 500`,
);

export const deleteInvitation = statement(
  "delete_invitation",
  `delete from console_links where account_id = $1 and id = $2 and kind = 'invitation' and used_at is null
   returning id`,
);

export const insertLink = statement(
  "insert_link",
  `with forgotten as (
     delete from console_links where expires_at < $9::timestamptz - interval '30 days'
   )
   insert into console_links (token_hash, id, kind, email, user_id, account_id, role, created_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

// A first-run link works only while no user exists, and no link leads to a deleted account.
const USABLE_LINK = `select * from console_links l
  where token_hash = $1 and used_at is null and expires_at > $2
    and (kind <> 'first' or not exists (select from users))
    and not exists (select from accounts a where a.id = l.account_id and a.deleted_at is not null)`;

/** Reads a link without a row lock. */
export const readLink = statement("read_link", USABLE_LINK);

export const findLink = statement("find_link", `${USABLE_LINK} for update`);

/** Name of a link's account, and of the person who made it. */
export const describeLink = statement(
  "describe_link",
  `select a.name as account_name, coalesce(u.name, u.email) as invited_by
     from console_links l left join accounts a on a.id = l.account_id left join users u on u.id = l.created_by
    where l.id = $1`,
);

export const consumeFirstLinks = statement(
  "consume_first_links",
  "update console_links set used_at = $1 where kind = 'first' and used_at is null",
);

/**
 * Links that a change of role ($2: now) invalidates: reset links for and by the user, and their invitations
 * to the account ($3) with roles other than $4, which they may still grant.
 */
export const consumeLinksOfRole = statement(
  "consume_links_of_role",
  `update console_links set used_at = $2
    where used_at is null
      and ((kind = 'reset' and (user_id = $1 or created_by = $1))
        or (kind = 'invitation' and created_by = $1 and account_id = $3 and role <> all ($4::text[])))`,
);

/** Ends invitations that a user made as an operator, to accounts that the user does not belong to. */
export const consumeOperatorInvitations = statement(
  "consume_operator_invitations",
  `update console_links l set used_at = $2
    where l.kind = 'invitation' and l.created_by = $1 and l.used_at is null
      and not exists (select from memberships m where m.account_id = l.account_id and m.user_id = $1)`,
);

/** Ends unused reset links, after one was used or the password changed. */
export const consumeResetLinks = statement(
  "consume_reset_links",
  "update console_links set used_at = $2 where user_id = $1 and kind = 'reset' and used_at is null",
);

/** Reset links that a user has requested for themselves since $2. */
export const countResetLinks = statement(
  "count_reset_links",
  `select count(*)::int as links from console_links
    where user_id = $1 and kind = 'reset' and created_by is null and created_at > $2`,
);

export const useLink = statement(
  "use_link",
  "update console_links set used_at = $2 where token_hash = $1 and used_at is null returning id",
);

export const markUserSeen = statement(
  "mark_user_seen",
  "update users set seen_at = $2 where id = $1",
);

/** Begins a session, which counts as activity of its user. */
export const insertSession = statement(
  "insert_session",
  `with seen as (update users set seen_at = $6 where id = $3)
   insert into console_sessions (token_hash, id, user_id, ip, agent, created_at, used_at, confirmed_at, ends_at)
   values ($1, $2, $3, $4, $5, $6, $6, $6, $7)`,
);

export const findSession = statement(
  "find_session",
  `select s.id as session_id, s.used_at, s.confirmed_at, s.ends_at, s.visited_account_id,
          u.id as user_id, u.email, u.name, u.is_operator, u.mail_notices, u.totp_secret is not null as totp_enabled,
          exists (select from passkeys p where p.user_id = u.id) as passkey_enabled
     from console_sessions s join users u on u.id = s.user_id
    where s.token_hash = $1`,
);

export const markSessionUsed = statement(
  "mark_session_used",
  "update console_sessions set used_at = $2 where token_hash = $1",
);

export const confirmSession = statement(
  "confirm_session",
  "update console_sessions set token_hash = $2, confirmed_at = $3 where token_hash = $1",
);

export const visitAccount = statement(
  "visit_account",
  "update console_sessions set visited_account_id = $2 where token_hash = $1",
);

const MISSES =
  "case when console_addresses.missed_since > $3 then console_addresses.misses + 1 else 1 end";

/**
 * Counts a miss and locks in one statement: concurrent guesses are counted one by one, and none while the key
 * ($1) is locked. $4: misses before the first lock; $5 and $6: shortest and longest lock in ms. Deletes keys
 * without a miss for a day.
 */
export const recordMiss = statement(
  "record_miss",
  `with forgotten as (
     delete from console_addresses where missed_since < $2::timestamptz - interval '1 day' and address <> $1
   )
   insert into console_addresses (address, misses, missed_since) values ($1, 1, $2)
   on conflict (address) do update set
     misses = ${MISSES},
     missed_since = case when console_addresses.missed_since > $3 then console_addresses.missed_since else $2 end,
     locked_until = case when ${MISSES} < $4::integer then null else
       $2::timestamptz + interval '1 ms' *
         least($6::float8, $5::float8 * 2 ^ least(20, ${MISSES} - $4::integer)) end
   where console_addresses.locked_until is null or console_addresses.locked_until <= $2
   returning coalesce(locked_until, $2::timestamptz) as locked_until`,
);

export const findLockout = statement(
  "find_lockout",
  "select locked_until from console_addresses where address = $1 and locked_until > $2",
);

export const clearMisses = statement(
  "clear_misses",
  "delete from console_addresses where address = $1",
);

/** Locks all operators and the user to be changed, in one order to avoid deadlocks. */
export const lockOperators = statement(
  "lock_operators",
  "select id, email, name, seen_at, is_operator from users where is_operator or id = $1 order by id for update",
);

export const listOperators = statement(
  "list_operators",
  `select u.id, u.email, u.name, ${LAST_ACTIVE}, u.is_operator from users u
    where u.is_operator and ($1::uuid is null or u.id < $1) order by u.id desc limit $2`,
);

export const setOperator = statement(
  "set_operator",
  "update users set is_operator = $2 where id = $1",
);

export const deleteSession = statement(
  "delete_session",
  "delete from console_sessions where token_hash = $1 returning id",
);

export const deleteSessionById = statement(
  "delete_session_by_id",
  "delete from console_sessions where id = $1 and user_id = $2 returning id",
);

/** Deletes all sessions of a user except one. */
export const deleteOtherSessions = statement(
  "delete_other_sessions",
  "delete from console_sessions where user_id = $1 and token_hash <> $2",
);

export const deleteOldSessions = statement(
  "delete_old_sessions",
  "delete from console_sessions where user_id = $1 and (ends_at < $2 or used_at < $3)",
);

export const listSessions = statement(
  "list_sessions",
  `select id, ip, agent, created_at, used_at, token_hash from console_sessions
    where user_id = $1 order by used_at desc limit 100`,
);

export const findAccountForConsole = statement(
  "find_account_for_console",
  `select ${ACCOUNT_COLUMNS} from accounts a where a.id = $1`,
);

/** Account of a key. */
export const findKeyAccount = statement(
  "find_key_account",
  "select account_id from api_keys where id = $1",
);

/** Keys of an account for the search, the newest first. */
export const listNewestKeys = statement(
  "list_newest_keys",
  "select * from api_keys where account_id = $1 order by id desc limit 100",
);

export const isAnyKeyUsed = statement(
  "is_any_key_used",
  `select exists (select from api_keys where account_id = $1 and revoked_at is null and last_used_at is not null) as used`,
);

export const listViews = statement(
  "list_views",
  `select id, page, name, query, created_at from console_views
    where account_id = $1 and user_id = $2 order by page, name limit 500`,
);

/** Serializes changes of one user's views across browser tabs. */
export const lockUser = statement("lock_user", "select id from users where id = $1 for update");

/** Number of the user's views in all accounts, except the one with this name. */
export const countOtherViews = statement(
  "count_other_views",
  `select count(*)::int as views from console_views
    where user_id = $2 and (account_id, page, name) is distinct from ($1, $3, $4)`,
);

export const upsertView = statement(
  "upsert_view",
  `insert into console_views (id, account_id, user_id, page, name, query, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (account_id, user_id, page, name) do update set query = excluded.query
   returning id, page, name, query, created_at`,
);

export const deleteView = statement(
  "delete_view",
  "delete from console_views where id = $1 and account_id = $2 and user_id = $3 returning id",
);

export const findMemberNames = statement(
  "find_member_names",
  `select u.id, u.name from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and m.user_id = any($2::uuid[])`,
);

const NAMED_BY = {
  automations: "name",
  batches: "coalesce(name, left(body, 80))",
  contacts: "coalesce(name, phone_number)",
  customers: "name",
  hooks: "name",
  pools: "name",
  registrations: "business_name",
  segments: "name",
  topics: "name",
  webhook_endpoints: "url",
} as const;

export const nameObjects = statement(
  "name_objects",
  Object.entries(NAMED_BY)
    .map(
      ([table, name]) =>
        `select id, ${name} as name from ${table} where shard = $1 and account_id = $2 and id = any($3::uuid[])`,
    )
    .join(" union all "),
);

export const nameMembers = statement(
  "name_members",
  `select u.id, coalesce(u.name, u.email) as name from memberships m join users u on u.id = m.user_id
    where m.account_id = $1 and m.user_id = any($2::uuid[])`,
);

export const nameKeys = statement(
  "name_keys",
  "select id, coalesce(name, '…' || last4) as name from api_keys where account_id = $1 and id = any($2::uuid[])",
);

export const nameAccounts = statement(
  "name_accounts",
  "select id, name from accounts where id = any($1::uuid[])",
);
