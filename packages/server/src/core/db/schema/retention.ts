import type { Clock } from "../../platform/clock.ts";
import { firstUuidAt } from "../../platform/ids.ts";
import type { Database } from "../driver/database.ts";
import { type Statement, statement } from "../driver/statement.ts";

/** Monthly partitions, which `partitions.ts` drops when their last row is older than `keepDays`. */
interface ByPartition {
  readonly by: "partition";
  /** A UUIDv7 column, which contains the row's time. */
  readonly key: string;
  /** Null: kept for ever, partitioned because of its growth. */
  readonly keepDays: number | null;
  /** Fill factor in percent: room on the page for HOT updates of rows that change soon. */
  readonly fillPercent?: number;
  /**
   * Statistics target of ANALYZE, if lower than the default (100). Autovacuum analyses a fast-growing table every few
   * seconds, which took a tenth of PostgreSQL's time. Its statements fit one index only, so the planner needs little
   * more than the size.
   */
  readonly statisticsTarget?: number;
  /**
   * Growth, as a fraction of the table, before autovacuum analyses it again; if higher than the default (0.1).
   */
  readonly analyzedAtGrowth?: number;
}

/** Rows past their time are deleted one by one, oldest first, along an index. */
interface BySweep {
  readonly by: "sweep";
  readonly rules: readonly SweepRule[];
}

interface SweepRule {
  /** Column of the row's time, or a UUIDv7 `id`. An index starts with shard and this column. */
  readonly age: string;
  readonly keepHours: number;
  /** Condition on the rows; unset: all rows. */
  readonly only?: string;
}

/** Not deleted by age: bounded in another way, or kept on purpose. */
interface ByRule {
  readonly by: "rule";
  readonly why: string;
}

export type Retention = ByPartition | BySweep | ByRule;

const DAY_HOURS = 24;
/** Shown for 30 or 90 days, kept a day longer, so that nothing disappears while it is shown. */
const SHOWN_FOR_30_DAYS = 31;
/** The newest 30 days beside the 30 before them. */
const COMPARED_FOR_60_DAYS = 61;
const SHOWN_FOR_90_DAYS = 91;
/**
 * An event waits up to 30 days for a paused endpoint. A delivery that then fails is listed, and can be replayed, for 30
 * more days.
 */
const UNTIL_UNDELIVERED_IS_FORGOTTEN = 62;
/** Scheduled at most 30 days ahead, and shown for 90 days after the send time. */
const SCHEDULED_AND_SHOWN = 121;
/** Tables that every message writes. */
const HOT = { statisticsTarget: 10, analyzedAtGrowth: 1 };

/** Retention of every table; a test fails for a table that is missing here. */
// biome-ignore format: read as a table
export const RETENTION: Readonly<Record<string, Retention>> = {
  // Monthly partitions, kept for ever.
  ledger_entries:   { by: "partition", key: "object_id", keepDays: null },
  audit_log:        { by: "partition", key: "id",        keepDays: null },
  messages:         { by: "partition", key: "id",        keepDays: null, fillPercent: 50, ...HOT },
  message_statuses: { by: "partition", key: "id",        keepDays: null, ...HOT },
  twilio_replies:   { by: "partition", key: "id",        keepDays: null },
  message_metadata: { by: "partition", key: "id",        keepDays: null, ...HOT },
  message_costs:    { by: "partition", key: "message_id", keepDays: null },
  batch_recipients: { by: "partition", key: "batch_id",  keepDays: null, fillPercent: 45, ...HOT },
  verifications:    { by: "partition", key: "id",        keepDays: null },

  // Monthly partitions, dropped after keepDays.
  events:                 { by: "partition", key: "id",         keepDays: UNTIL_UNDELIVERED_IS_FORGOTTEN, ...HOT },
  webhook_undelivered:    { by: "partition", key: "event_id",   keepDays: UNTIL_UNDELIVERED_IS_FORGOTTEN },
  webhook_deliveries:     { by: "partition", key: "id",         keepDays: SHOWN_FOR_30_DAYS, ...HOT },
  verification_decisions: { by: "partition", key: "id",         keepDays: SHOWN_FOR_90_DAYS },
  submit_attempts:        { by: "partition", key: "message_id", keepDays: SHOWN_FOR_90_DAYS },
  carrier_references:     { by: "partition", key: "message_id", keepDays: SHOWN_FOR_30_DAYS, ...HOT },

  // Swept row by row.
  idempotency_keys:      { by: "sweep", rules: [{ age: "expires_at", keepHours: 0 }] },
  carrier_inbox:         { by: "sweep", rules: [{ age: "id", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS }] },
  kept_callbacks:        { by: "sweep", rules: [{ age: "id", keepHours: 7 * DAY_HOURS }] },
  hook_requests:         { by: "sweep", rules: [{ age: "id", keepHours: 7 * DAY_HOURS }] },
  hook_messages:         { by: "sweep", rules: [{ age: "id", keepHours: 7 * DAY_HOURS }] },
  scheduled_messages:    { by: "sweep", rules: [{ age: "id", keepHours: SCHEDULED_AND_SHOWN * DAY_HOURS, only: "status <> 'pending'" }] },
  account_imports:       { by: "sweep", rules: [{ age: "id", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS, only: "status <> 'running'" }] },
  twilio_callbacks:      { by: "sweep", rules: [{ age: "id", keepHours: SCHEDULED_AND_SHOWN * DAY_HOURS }] },
  automation_runs:       { by: "sweep", rules: [{ age: "ended_at", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS, only: "ended_at is not null and reentry <> 'once'" }] },
  schedule_occurrences:  { by: "sweep", rules: [{ age: "created_at", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS }] },
  jobs:                  { by: "sweep", rules: [{ age: "failed_at", keepHours: 30 * DAY_HOURS, only: "failed_at is not null" }] },
  auto_reply_counts:     { by: "sweep", rules: [{ age: "window_started_at", keepHours: 2 }] },
  daily_sends:           { by: "sweep", rules: [{ age: "day", keepHours: 48 }] },
  reply_pairs:           { by: "sweep", rules: [{ age: "updated_at", keepHours: 1 }] },
  verification_counters: { by: "sweep", rules: [{ age: "bucket", keepHours: 2 }] },
  verification_blocks:   { by: "sweep", rules: [{ age: "blocked_until", keepHours: 0 }] },
  verification_targets:  { by: "sweep", rules: [{ age: "updated_at", keepHours: 1 }] },
  verification_hours:    { by: "sweep", rules: [{ age: "hour", keepHours: SHOWN_FOR_30_DAYS * DAY_HOURS }] },
  delivery_hours:        { by: "sweep", rules: [{ age: "hour", keepHours: COMPARED_FOR_60_DAYS * DAY_HOURS }] },
  delivery_alarms:       { by: "sweep", rules: [{ age: "alerted_at", keepHours: DAY_HOURS }] },
  // The API shows a phone's last verification for a day after its end; wrong codes count for a month.
  verification_phones:   { by: "sweep", rules: [
    { age: "updated_at", keepHours: 48, only: "failures = 0" },
    { age: "updated_at", keepHours: 720 },
  ] },

  // Bounded in another way, or kept on purpose.
  due_attempts:         { by: "rule", why: "deleted when their messages are processed" },
  due_receipts:         { by: "rule", why: "deleted when the receipts are applied" },
  webhook_jobs:         { by: "rule", why: "deleted when delivered or given up; jobs of a paused endpoint go with webhooks.sweep_paused after 30 days" },
  pools:                { by: "rule", why: "deleted with their choices by numbers.clear_deleted_pools" },
  pool_members:         { by: "rule", why: "deleted with their pool or number" },
  pool_choices:         { by: "rule", why: "a recipient gets the same number as long as it is in the pool" },
  batches:              { by: "rule", why: "one row per batch, shown for ever" },
  hooks:                { by: "rule", why: "at most 20 per account" },
  automations:          { by: "rule", why: "the account's own, limited in number" },
  automation_versions:  { by: "rule", why: "one row per change of an automation; running runs need their version" },
  automation_resume_requests:     { by: "rule", why: "deleted when done" },
  schedules:            { by: "rule", why: "the account's own" },
  usage_days:           { by: "rule", why: "one row per account, customer and day that a client queried" },
  conversations:        { by: "rule", why: "one row per person who has written, as long as the messages" },
  conversation_notes:   { by: "rule", why: "the account's own, limited per conversation" },
  snippets:             { by: "rule", why: "the account's own, limited in number" },
  consent_ledger:       { by: "rule", why: "evidence, kept for ever" },
  consent_states:       { by: "rule", why: "consent, one row per phone and customer" },
  verification_stops:   { by: "rule", why: "opt-outs from the service's own numbers" },
  customers:            { by: "rule", why: "the account's own" },
  deleted_customers:    { by: "rule", why: "ids only, which messages and numbers refer to" },
  numbers:              { by: "rule", why: "history stays readable after a release" },
  inventory_numbers:    { by: "rule", why: "the operator's stock" },
  imported_pools:       { by: "rule", why: "one row per imported messaging service" },
  port_requests:        { by: "rule", why: "one row per requested number, shown for ever" },
  webhook_endpoints:    { by: "rule", why: "at most five per account" },
  accounts:             { by: "rule", why: "one row per account" },
  account_counters:     { by: "rule", why: "one row per account" },
  api_keys:             { by: "rule", why: "revoked keys stay, so that the audit log can name them" },
  verified_numbers:     { by: "rule", why: "a few per account" },
  live_access_requests: { by: "rule", why: "one row per account" },
  spend_limits:         { by: "rule", why: "one row per account" },
  rate_buckets:         { by: "rule", why: "one row per account" },
  webhook_send_buckets: { by: "rule", why: "one row per account" },
  batch_pace:           { by: "rule", why: "one row per sending number" },
  carrier_traffic:      { by: "rule", why: "the last hour of each carrier; every insert deletes older rows" },
  carrier_unowned:      { by: "rule", why: "two rows per carrier at most" },
  carrier_binds:        { by: "rule", why: "one row per bind of a carrier; rows of removed binds are deleted" },
  carrier_short_references: { by: "rule", why: "processes with the carrier delete expired rows" },
  carrier_polls:        { by: "rule", why: "two rows per carrier that is polled" },
  registrations:        { by: "rule", why: "the account's own" },
  registration_paces:   { by: "rule", why: "one row per registration with limits" },
  registration_checks:  { by: "rule", why: "rows older than an hour are deleted with the account's next check" },
  contacts:             { by: "rule", why: "the account's own" },
  contact_search:       { by: "rule", why: "one row for up to sixteen contacts" },
  contact_imports:      { by: "rule", why: "one row per import" },
  lookup_findings:      { by: "rule", why: "rows older than 30 days are deleted by new inserts" },
  numbering_loads:      { by: "rule", why: "one row; the next file deletes unfinished loads" },
  numbering_ranges:     { by: "rule", why: "ranges of the newest file, which deletes previous ones" },
  segments:             { by: "rule", why: "the account's own, at most 500" },
  topics:               { by: "rule", why: "at most 100 per account; deleted topics stay for their batches" },
  topic_subscriptions:  { by: "rule", why: "subscriptions, one row per phone and topic" },
  installation:         { by: "rule", why: "one row" },
  database_identity:        { by: "rule", why: "one row" },
  clock_lease:          { by: "rule", why: "one row" },
  clock_followers:      { by: "rule", why: "one row per process, with the test clock only" },
  workers:              { by: "rule", why: "one row per process; rows of killed processes are deleted after a day" },
  periodic_tasks:       { by: "rule", why: "one row per task" },
  schema_migrations:    { by: "rule", why: "one row per file" },
  erasures:             { by: "rule", why: "keyed hashes, which keep erased numbers opted out, and reports" },
  redaction_leftovers:  { by: "rule", why: "deleted when the rows of the span have ended and are redacted" },
  account_deletions:    { by: "rule", why: "one row per deleted account: the operator's record" },
  quiet_laws:           { by: "rule", why: "editions of the operator, which say what held when" },
  prices:               { by: "rule", why: "the operator's own, limited in number; ended ones say what held when" },
  operator_tokens:      { by: "rule", why: "revoked tokens stay, so that the audit log can name them" },
  users:                { by: "rule", why: "one row per user" },
  memberships:          { by: "rule", why: "one row per user and account" },
  console_sessions:     { by: "rule", why: "ended sessions are deleted with the user's next sign-in" },
  request_log:          { by: "rule", why: "rows older than seven days are deleted by requests.forget, account by account" },
  console_views:        { by: "rule", why: "at most 50 per user; deleted with the membership" },
  console_addresses:    { by: "rule", why: "rows without a failure for a day are deleted with the next failure" },
  console_notices:      { by: "rule", why: "rows older than 60 days are deleted by the task that mails" },
  passkeys:             { by: "rule", why: "at most 10 per user, who removes them" },
  passkey_challenges:   { by: "rule", why: "rows older than five minutes are deleted with the next passkey that is used" },
  console_links:        { by: "rule", why: "links expired for 30 days are deleted by the next insert" },
};

const ROWS_PER_SWEEP_MAX = 1_000;
const SWEEPS_PER_RULE_MAX = 10_000;
/**
 * After each chunk the sweep pauses for this many times the chunk's duration, so that sends do not notice.
 */
const REST_FACTOR = 4;
const REST_MS_MAX = 500;
const HOUR_MS = 3_600_000;

interface Sweep extends SweepRule {
  readonly table: string;
  readonly forget: Statement;
}

const SWEEPS: readonly Sweep[] = Object.entries(RETENTION).flatMap(([table, retention]) =>
  retention.by === "sweep"
    ? retention.rules.map((rule, index) => ({
        ...rule,
        table,
        forget: forgetFrom(table, rule, index),
      }))
    : [],
);

function forgetFrom(table: string, { age, only }: SweepRule, index: number): Statement {
  const chosen = only === undefined ? "" : `and ${only}`;
  return statement(
    `forget_${table}${index === 0 ? "" : `_${index}`}`,
    `delete from ${table} where shard = $1 and ctid = any(array(
       select ctid from ${table} where shard = $1 and ${age} < $2 ${chosen} order by ${age} limit $3
          for update skip locked))
     returning 1 as forgotten`,
  );
}

interface Sweeping {
  readonly db: Database;
  readonly clock: Clock;
  readonly shards: number;
}

/**
 * Deletes expired rows, in chunks with a pause after each, so that sends do not notice. The next run continues an
 * unfinished one.
 */
export async function sweepExpired(deps: Sweeping, signal: AbortSignal): Promise<void> {
  for (const sweep of SWEEPS) {
    for (let shard = 0; shard < deps.shards; shard += 1) await sweepOne(deps, sweep, shard, signal);
  }
}

async function sweepOne(
  deps: Sweeping,
  { age, keepHours, forget }: Sweep,
  shard: number,
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = deps.clock.now() - keepHours * HOUR_MS;
  const before = age === "id" ? firstUuidAt(beforeMs) : new Date(beforeMs);
  for (let sweeps = 0; sweeps < SWEEPS_PER_RULE_MAX && !signal.aborted; sweeps += 1) {
    const startedAt = deps.clock.monotonic();
    const rows = await deps.db.query(forget, [shard, before, ROWS_PER_SWEEP_MAX]);
    if (rows.length < ROWS_PER_SWEEP_MAX) return;
    const tookMs = deps.clock.monotonic() - startedAt;
    await deps.clock.sleep(Math.min(REST_MS_MAX, REST_FACTOR * tookMs));
  }
}
