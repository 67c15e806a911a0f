import { type Move, REGISTRATION_MOVES } from "@longwave/contract";
import { comesFrom, isIn } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";

export const REGISTRATION_COLUMNS =
  "shard, account_id, id, kind, status, business_name, website, use_case, given, website_check, rejection, history, submissions, mode, registry_reference, version, created_at, updated_at, limits";

const {
  check_passed,
  check_failed,
  submit,
  claim,
  begin_review,
  approve,
  override,
  vouch,
  reject,
  suspend,
  expire,
  reinstate,
} = REGISTRATION_MOVES;

export const insertRegistration = statement(
  "insert_registration",
  `insert into registrations (shard, account_id, id, status, business_name, website, use_case, given,
                              website_check, history, created_at, updated_at, kind)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)
   returning ${REGISTRATION_COLUMNS}`,
);

export const findRegistrationRow = statement(
  "find_registration",
  `select ${REGISTRATION_COLUMNS} from registrations where shard = $1 and account_id = $2 and id = $3`,
);

export const lockRegistrationRow = statement(
  "lock_registration",
  `select ${REGISTRATION_COLUMNS} from registrations where shard = $1 and account_id = $2 and id = $3
   for update`,
);

/** A registration by its id alone, for the operator. */
export const findRegistrationById = statement(
  "find_registration_by_id",
  `select ${REGISTRATION_COLUMNS} from registrations where id = $1`,
  { acrossShards: "the operator reads the registrations of all accounts" },
);

/**
 * Owner of a registration, which never changes. The locking statement needs the shard, so this one
 * comes first.
 */
export const findRegistrationOwner = statement(
  "find_registration_owner",
  "select shard, account_id as id from registrations where id = $1",
  { acrossShards: "the operator reviews the registrations of all accounts" },
);

// Returns no row if the registration changed since the check.
export const storeCheck = statement(
  "store_registration_check",
  `update registrations
      set status = $5, business_name = $6, website = $7, use_case = $8, given = $9, website_check = $10,
          rejection = null, history = $11, version = version + 1, updated_at = $12
    where shard = $1 and account_id = $2 and id = $3 and version = $4
      and ${comesFrom("status", check_passed, check_failed)}
   returning ${REGISTRATION_COLUMNS}`,
  { moves: [check_passed, check_failed] },
);

function submitting(name: string, move: Move) {
  return statement(
    name,
    `update registrations
        set status = '${move.to}', submissions = submissions + 1, mode = $6, registry_reference = null,
            rejection = null, history = $4, version = version + 1, updated_at = $5
      where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", move)}
     returning ${REGISTRATION_COLUMNS}`,
    { moves: [move] },
  );
}

export const SUBMISSIONS = {
  submit: submitting("submit_registration", submit),
  /** Its campaign is approved elsewhere, so that the check of its website does not count. */
  claim: submitting("submit_claimed_registration", claim),
} as const;

// Filing twice gives the same reference, so a second update changes nothing.
export const storeReference = statement(
  "store_registry_reference",
  `update registrations set registry_reference = $5, history = $6, version = version + 1, updated_at = $7
    where shard = $1 and account_id = $2 and id = $3 and submissions = $4 and registry_reference is null
      and ${comesFrom("status", approve)}
   returning ${REGISTRATION_COLUMNS}`,
);

export const noteInHistory = statement(
  "note_in_registration_history",
  `update registrations set history = $4, version = version + 1, updated_at = $5
    where shard = $1 and account_id = $2 and id = $3
   returning id`,
);

export const findReference = statement(
  "find_registry_reference",
  "select registry_reference from registrations where shard = $1 and account_id = $2 and id = $3",
);

/** Registrations that are filed with the registry and may change there, by id. */
export const listFiled = statement(
  "list_filed_registrations",
  `select shard, account_id, id from registrations
    where registry_reference is not null and ${isIn("status", [approve.to, suspend.to, expire.to])}
      and ($1::uuid is null or id > $1)
    order by id limit $2`,
  { acrossShards: "the installation follows the filings of all accounts" },
);

/** The registration of a filing, which a notification names. */
export const findByReference = statement(
  "find_registration_by_reference",
  `select shard, account_id, id from registrations where registry_reference = $1 order by id desc limit 1`,
  { acrossShards: "a notification of the registry names a filing, and no account" },
);

function reviewing(name: string, move: Move, mode = "mode") {
  return statement(
    name,
    `update registrations
        set status = '${move.to}', mode = ${mode}, rejection = $6, history = $4, version = version + 1, updated_at = $5
      where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", move)}
     returning ${REGISTRATION_COLUMNS}`,
    { moves: [move] },
  );
}

/** The operator approves a registration whose campaign is approved elsewhere: it keeps the campaign's ids. */
const vouchForRegistration = statement(
  "vouch_for_registration",
  `update registrations
      set status = '${vouch.to}', mode = coalesce(mode, 'live'), given = $6, rejection = null, registry_reference = null,
          history = $4, version = version + 1, updated_at = $5
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", vouch)}
   returning ${REGISTRATION_COLUMNS}`,
  { moves: [vouch] },
);

export const REVIEWS = {
  in_review: reviewing("begin_registration_review", begin_review),
  approve: reviewing("approve_registration", approve),
  // A registration that was never submitted speaks for live numbers from then on.
  override: reviewing("override_registration_check", override, "coalesce(mode, 'live')"),
  vouch: vouchForRegistration,
  reject: reviewing("reject_registration", reject),
  suspend: reviewing("suspend_registration", suspend),
  expire: reviewing("expire_registration", expire),
  reinstate: reviewing("reinstate_registration", reinstate),
} as const;

/** Serializes the check counts of an account across processes. */
export const lockChecks = statement(
  "lock_registration_checks",
  "select pg_advisory_xact_lock(hashtextextended('registration_checks ' || $1::text, 0))",
);

export const forgetOldChecks = statement(
  "forget_old_registration_checks",
  "delete from registration_checks where shard = $1 and account_id = $2 and checked_at <= $3",
);

export const countChecks = statement(
  "count_registration_checks",
  `select count(*)::integer as checks, min(checked_at) as oldest from registration_checks
    where shard = $1 and account_id = $2`,
);

export const noteCheck = statement(
  "note_registration_check",
  "insert into registration_checks (shard, account_id, id, checked_at) values ($1, $2, $3, $4)",
);

const STATES_MAX = 1_000;

const APPROVED_ONCE = isIn("history -> -2 ->> 'status'", [approve.to, suspend.to, expire.to]);

/**
 * States of an account's registrations, newest first. A revoked one is suspended, expired, or was approved until its
 * rejection.
 */
export const findRegistrationStates = statement(
  "find_registration_states",
  `select id, kind, status,
          ${isIn("status", [suspend.to, expire.to])} or status = '${reject.to}' and ${APPROVED_ONCE} as is_revoked
     from registrations
    where shard = $1 and account_id = $2 and mode is distinct from 'test'
    order by id desc limit ${STATES_MAX}`,
);

export interface DecidedRegistration {
  readonly id: string;
  readonly account_id: string;
  readonly mode: string | null;
  readonly business_name: string;
  readonly status: string;
  readonly updated_at: number;
}

const DECIDED_MAX = 200;

const DECIDED = [approve.to, reject.to, suspend.to, expire.to];

/** Registrations that were approved, rejected, suspended or expired since $1. */
export const listDecided = statement(
  "list_decided_registrations",
  `select id, account_id, mode, business_name, status, updated_at from registrations
    where ${isIn("status", DECIDED)} and updated_at > $1 order by id desc limit ${DECIDED_MAX}`,
  { acrossShards: "the installation mails the decisions on the registrations of all accounts" },
);
