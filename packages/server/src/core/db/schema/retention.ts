import type { Clock } from "../platform/clock.ts";
import { firstUuidAt } from "../platform/ids.ts";
import type { Database } from "./database.ts";
import { type Statement, statement } from "./statement.ts";

/** A month at a time: partitions whose last row is older than so many days are dropped. */
interface ByPartition {
  readonly by: "partition";
  /** The column that holds a UUIDv7, and with it a row's time. */
  readonly key: string;
  /** null: kept for ever, and partitioned because it grows. */
  readonly keepDays: number | null;
  /** How full pages are written, in percent: rows that change soon find room beside themselves. */
  readonly fillPercent?: number;
  /**
   * How closely ANALYZE looks at it, where that is less than usual (100). A table that fills quickly is
   * analysed every few seconds, which took a tenth of PostgreSQL's time; its statements are written
   * such that one index fits them, and need to know little more than that it is large.
   */
  readonly statisticsTarget?: number;
  /** By what part of itself it grows before it is analysed again, where that is more than usual (0.1). */
  readonly analyzedAtGrowth?: number;
}

/** Row by row: those whose time is longer ago are deleted, oldest first, along an index. */
interface BySweep {
  readonly by: "sweep";
  readonly rules: readonly SweepRule[];
}

interface SweepRule {
  /** The column of a row's time; `id` columns hold a UUIDv7. An index begins with shard and it. */
  readonly age: string;
  readonly keepHours: number;
  /** Which rows, where it is not all of them. */
  readonly only?: string;
}

/** Not by age: what is in it is bounded by something else, or is kept on purpose. */
interface ByRule {
  readonly by: "rule";
  readonly why: string;
}

export type Retention = ByPartition | BySweep | ByRule;

const DAY_HOURS = 24;
/** What is shown for so many days is kept a day longer, so that nothing goes while it is shown. */
const SHOWN_FOR_30_DAYS = 31;
const SHOWN_FOR_90_DAYS = 91;
/**
 * An event waits up to 30 days for an endpoint that is paused; what then fails for good is listed,
 * and can be sent again, for 30 days more.
 */
const UNTIL_UNDELIVERED_IS_FORGOTTEN = 62;
/** A text is scheduled 30 days ahead at most, and told of for 90 days after its time. */
const SCHEDULED_AND_SHOWN = 121;
/** Tables that every text is written to. */
const HOT = { statisticsTarget: 10, analyzedAtGrowth: 1 };

/** How long the rows of every table are kept. A table that is not here fails a test. */
// biome-ignore format: read as a table
export const RETENTION: Readonly<Record<string, Retention>> = {
  // What is kept for ever, by month.
  ledger_entries:   { by: "partition", key: "object_id", keepDays: null },
  audit_log:        { by: "partition", key: "id",        keepDays: null },
  messages:         { by: "partition", key: "id",        keepDays: null, fillPercent: 50, ...HOT },
  message_statuses: { by: "partition", key: "id",        keepDays: null, ...HOT },
  batch_recipients: { by: "partition", key: "batch_id",  keepDays: null, fillPercent: 45, ...HOT },
  verifications:    { by: "partition", key: "id",        keepDays: null },

  // What is dropped by month.
  events:                 { by: "partition", key: "id",         keepDays: UNTIL_UNDELIVERED_IS_FORGOTTEN, ...HOT },
  webhook_undelivered:    { by: "partition", key: "event_id",   keepDays: UNTIL_UNDELIVERED_IS_FORGOTTEN },
  webhook_deliveries:     { by: "partition", key: "id",         keepDays: SHOWN_FOR_30_DAYS, ...HOT },
  verification_decisions: { by: "partition", key: "id",         keepDays: SHOWN_FOR_90_DAYS },
  submit_attempts:        { by: "partition", key: "message_id", keepDays: SHOWN_FOR_90_DAYS },
  carrier_references:     { by: "partition", key: "message_id", keepDays: SHOWN_FOR_30_DAYS, ...HOT },

  // What is swept.
  idempotency_keys:      { by: "sweep", rules: [{ age: "expires_at", keepHours: 0 }] },
  carrier_inbox:         { by: "sweep", rules: [{ age: "id", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS }] },
  scheduled_messages:    { by: "sweep", rules: [{ age: "id", keepHours: SCHEDULED_AND_SHOWN * DAY_HOURS, only: "status <> 'pending'" }] },
  account_imports:       { by: "sweep", rules: [{ age: "id", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS, only: "status <> 'running'" }] },
  twilio_callbacks:      { by: "sweep", rules: [{ age: "id", keepHours: SCHEDULED_AND_SHOWN * DAY_HOURS }] },
  automation_runs:       { by: "sweep", rules: [{ age: "ended_at", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS, only: "ended_at is not null and reentry <> 'once'" }] },
  schedule_occurrences:  { by: "sweep", rules: [{ age: "created_at", keepHours: SHOWN_FOR_90_DAYS * DAY_HOURS }] },
  jobs:                  { by: "sweep", rules: [{ age: "failed_at", keepHours: 30 * DAY_HOURS, only: "failed_at is not null" }] },
  auto_reply_counts:     { by: "sweep", rules: [{ age: "window_started_at", keepHours: 2 }] },
  verification_counters: { by: "sweep", rules: [{ age: "bucket", keepHours: 2 }] },
  verification_blocks:   { by: "sweep", rules: [{ age: "blocked_until", keepHours: 0 }] },
  verification_targets:  { by: "sweep", rules: [{ age: "updated_at", keepHours: 1 }] },
  verification_hours:    { by: "sweep", rules: [{ age: "hour", keepHours: SHOWN_FOR_30_DAYS * DAY_HOURS }] },
  delivery_hours:        { by: "sweep", rules: [{ age: "hour", keepHours: SHOWN_FOR_30_DAYS * DAY_HOURS }] },
  delivery_alarms:       { by: "sweep", rules: [{ age: "told_at", keepHours: DAY_HOURS }] },
  // A phone's last verification is told of for a day after it ended; wrong codes count for a month.
  verification_phones:   { by: "sweep", rules: [
    { age: "updated_at", keepHours: 48, only: "failures = 0" },
    { age: "updated_at", keepHours: 720 },
  ] },

  // What does not grow with time, or stays on purpose.
  due_attempts:         { by: "rule", why: "deleted when their texts have been looked at" },
  due_receipts:         { by: "rule", why: "deleted when the receipts are brought" },
  webhook_jobs:         { by: "rule", why: "deleted when delivered or given up; those held for a paused endpoint go with webhooks.sweep_held after 30 days" },
  pools:                { by: "rule", why: "deleted with what they leave behind by numbers.clear_deleted_pools" },
  pool_members:         { by: "rule", why: "deleted with their pool or number" },
  pool_choices:         { by: "rule", why: "a person hears from the same number as long as it is in the pool" },
  batches:              { by: "rule", why: "one row per batch, shown for ever" },
  automations:          { by: "rule", why: "the account's own, bounded by number" },
  automation_versions:  { by: "rule", why: "one row per change of an automation; runs in progress need theirs" },
  automation_wakes:     { by: "rule", why: "deleted when done" },
  schedules:            { by: "rule", why: "the account's own" },
  usage_days:           { by: "rule", why: "one row per account, customer and day since there was the account that somebody asked about" },
  consent_ledger:       { by: "rule", why: "evidence, kept for ever" },
  consent_states:       { by: "rule", why: "who may be texted, one row per phone and customer" },
  verification_stops:   { by: "rule", why: "who may not be texted by the service" },
  customers:            { by: "rule", why: "the account's own" },
  deleted_customers:    { by: "rule", why: "ids alone, which texts and numbers still name" },
  numbers:              { by: "rule", why: "history stays readable after a release" },
  inventory_numbers:    { by: "rule", why: "the operator's stock" },
  imported_pools:       { by: "rule", why: "one row per messaging service that was brought over" },
  port_requests:        { by: "rule", why: "one row per number asked for, shown for ever" },
  twilio_numbers:       { by: "rule", why: "one row per number that asked for it" },
  webhook_endpoints:    { by: "rule", why: "at most five per account" },
  accounts:             { by: "rule", why: "one row per account" },
  account_counters:     { by: "rule", why: "one row per account" },
  api_keys:             { by: "rule", why: "revoked ones stay, so that the log can name them" },
  verified_numbers:     { by: "rule", why: "a few per account" },
  live_access_requests: { by: "rule", why: "one row per account" },
  spend_limits:         { by: "rule", why: "one row per account" },
  rate_buckets:         { by: "rule", why: "one row per account" },
  webhook_send_buckets: { by: "rule", why: "one row per account" },
  batch_pace:           { by: "rule", why: "one row per sending number" },
  carrier_traffic:      { by: "rule", why: "the last hour of each carrier; whoever adds to it deletes what is older" },
  carrier_binds:        { by: "rule", why: "one row per bind of a carrier; those of removed binds are deleted" },
  carrier_short_references: { by: "rule", why: "a process that has the carrier deletes those that are too old" },
  registrations:        { by: "rule", why: "the account's own" },
  registration_checks:  { by: "rule", why: "those older than an hour are deleted with the account's next check" },
  contacts:             { by: "rule", why: "the account's own" },
  contact_search:       { by: "rule", why: "one row for up to sixteen contacts" },
  contact_imports:      { by: "rule", why: "one row per import" },
  lookup_findings:      { by: "rule", why: "those older than 30 days are deleted as new ones are written" },
  numbering_loads:      { by: "rule", why: "one row; those of files that were never finished go with the next file" },
  numbering_ranges:     { by: "rule", why: "those of the newest file; the ones before it go as it comes" },
  segments:             { by: "rule", why: "the account's own, at most 500" },
  topics:               { by: "rule", why: "at most 100 per account; deleted ones stay for the batches made with them" },
  topic_subscriptions:  { by: "rule", why: "what a phone chose, one row per phone and topic" },
  installation:         { by: "rule", why: "one row" },
  database_home:        { by: "rule", why: "one row" },
  clock_lease:          { by: "rule", why: "one row" },
  clock_followers:      { by: "rule", why: "one row per process, with the test clock only" },
  workers:              { by: "rule", why: "one row per process; those of killed ones go after a day" },
  periodic_tasks:       { by: "rule", why: "one row per kind of work" },
  schema_migrations:    { by: "rule", why: "one row per file" },
  users:                { by: "rule", why: "one row per person" },
  memberships:          { by: "rule", why: "one row per person and account" },
  console_sessions:     { by: "rule", why: "those that ended are deleted with the person's next sign-in" },
  request_log:          { by: "rule", why: "those of more than seven days ago are deleted by requests.forget, account by account" },
  console_views:        { by: "rule", why: "at most 50 per person; they go with the membership" },
  console_addresses:    { by: "rule", why: "those without a miss for a day are deleted with the next miss" },
  console_links:        { by: "rule", why: "those 30 days out of date are deleted when the next one is made" },
};

const ROWS_PER_SWEEP_MAX = 1_000;
const SWEEPS_PER_RULE_MAX = 10_000;
/** After each chunk the sweep waits as many times as long as the chunk took: it is never in a hurry. */
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
 * Deletes what is past its time, in chunks with a rest after each: sends must not notice. What a run
 * does not get done is done by the next one.
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
