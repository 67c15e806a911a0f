import { type Mode, REDACTED_NUMBER } from "@longwave/contract";
import { type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { StatementOptions } from "../../core/db/driver/statement.ts";

/** The person whose data is read or erased, in one account. */
export interface Person {
  readonly shard: number;
  readonly accountId: string;
  readonly phone: string;
  /** Mode of the records that an export shows; unset: both, as for an erasure. */
  readonly mode?: Mode;
}

/** A kind of records about a person: how to find them, and what an erasure does with them. */
export interface Place {
  readonly name: string;
  readonly table: string;
  /** Rows about the person. */
  readonly about: (person: Person) => Fragment;
  /** Columns that may mention the number, in rows of others; unset: the row belongs to the person. */
  readonly searches?: readonly string[];
  /** Rows that an export shows; unset: all rows about the person. */
  readonly exported?: (person: Person) => Fragment;
  /** Rows that an erasure leaves until work on them has ended. */
  readonly unfinished?: Fragment;
  /** Time until an erasure looks again at unfinished rows; unset: an hour. */
  readonly retryMs?: number;
  /** Columns that an erasure changes; unset: it deletes the rows. `alias` is a keyed hash in place of the number. */
  readonly redacts?: (alias: string) => Fragment;
  /** Reason why its statements name no shard. */
  readonly acrossShards?: string;
  /** Pass along a key, for tables without an index by phone. */
  readonly pass?: Pass;
}

/** A pass takes a bounded part of the table per statement: rows of `among`, ordered by the UUID `key`. */
export interface Pass {
  readonly key: string;
  readonly among: readonly ((person: Person) => Fragment)[];
}

const own = ({ shard, accountId }: Person): Fragment =>
  sql`t.shard = ${shard} and t.account_id = ${accountId}::uuid`;
const ofShard = ({ shard }: Person): Fragment => sql`t.shard = ${shard}`;
const NOBODY = raw(`'${REDACTED_NUMBER}'`);

/** Passes that follow the primary key of their table. */
const alongShard = (key: string): Pass => ({ key, among: [ofShard] });
const ALONG_ACCOUNT: Pass = { key: "id", among: [own] };
const ALONG_MODES: Pass = {
  key: "id",
  among: ["test", "live"].map(
    (mode) => (person: Person) => sql`${own(person)} and t.mode = ${mode}`,
  ),
};

const mentions = (column: string, digits: string): Fragment =>
  sql`position(${digits} in t.${raw(column)}::text) > 0`;
/** Digits that every written form of the number has: people and carriers leave out `+`, or `+1`. */
const shortDigits = (phone: string): string => phone.replace(/^\+1?/, "");
/** Columns as one text, without the separators in phone numbers, such as in `(415) 555-2671` or `%28415%29`. */
const withoutSeparators = (columns: string): Fragment =>
  raw(`regexp_replace(concat_ws('|', ${columns}), '%2[089BDEFbdef]|[ ()./+-]', '', 'g')`);
const mentionsInAnyForm = (columns: string, phone: string): Fragment =>
  sql`position(${shortDigits(phone)} in ${withoutSeparators(columns)}) > 0`;

/**
 * Kept callbacks that name the person. They belong to a carrier: a number of the account in the callback makes it the
 * account's. Callbacks that name no number of any account are `unclaimed`.
 */
function ofKeptCallbacks(person: Person, { unclaimed }: { unclaimed: boolean }): Fragment {
  // An escaped body is text, whatever its bytes are.
  const callback = withoutSeparators("t.query, t.reason, encode(t.body, 'escape')");
  const named = sql`position(regexp_replace(n.phone_number, '^[+]1?', '') in c.digits) > 0`;
  const isOwn = sql`exists (select from numbers n where n.account_id = ${person.accountId}::uuid and ${named}${inMode(person, "n")})`;
  const isUnclaimed = unclaimed
    ? sql`or not exists (select from numbers n where n.phone_number <> ${person.phone} and ${named})`
    : sql``;
  // `offset 0` strips the separators once per callback, not once per number.
  return sql`t.shard = 0 and exists (
    select from (select ${callback} as digits offset 0) c
     where position(${shortDigits(person.phone)} in c.digits) > 0 and (${isOwn} ${isUnclaimed}))`;
}

/** Rows whose event mentions the person. */
const ofEvents = (person: Person): Fragment => sql`${own(person)} and exists (
  select from events e where e.shard = t.shard and e.account_id = t.account_id and e.id = t.event_id
     and position(${person.phone} in e.data::text) > 0${inMode(person, "e")})`;
const messageWith = (alias: string, phone: string): Fragment =>
  sql`(${raw(alias)}.direction = 'outbound' and ${raw(alias)}.to_number = ${phone}
       or ${raw(alias)}.direction = 'inbound' and ${raw(alias)}.from_number = ${phone})`;

/** Condition on the mode of a row, by its column or that of another table's row. */
const inMode = ({ mode }: Person, alias = "t"): Fragment =>
  mode === undefined ? sql`` : sql` and ${raw(alias)}.mode = ${mode}`;
/** Rows of the other table's mode, found by `link`; an export alone names a mode. */
const withMode = (person: Person, table: string, link: string): Fragment =>
  person.mode === undefined
    ? sql``
    : sql` and exists (select from ${raw(table)} o
        where o.account_id = t.account_id and ${raw(link)}${inMode(person, "o")})`;

/** Rows that hold the number, without a mode of their own. */
const shared = (name: string, table: string, column: string): Place => ({
  name,
  table,
  about: (person) => sql`${own(person)} and t.${raw(column)} = ${person.phone}`,
});
/** Rows that hold the number, of the mode in their own column. */
const keyed = (name: string, table: string, column: string): Place => ({
  name,
  table,
  about: (person) => sql`${own(person)} and t.${raw(column)} = ${person.phone}${inMode(person)}`,
});
/** Rows that hold the number, of the mode of another table's row. */
const linked = (
  name: string,
  table: string,
  column: string,
  other: string,
  link: string,
): Place => ({
  name,
  table,
  about: (person) =>
    sql`${own(person)} and t.${raw(column)} = ${person.phone}${withMode(person, other, link)}`,
});

/** Addresses of a message's or scheduled message's mode. */
const ofMessage = (person: Person): Fragment =>
  person.mode === undefined
    ? sql``
    : sql` and (exists (select from messages m where m.shard = t.shard and m.id = t.id${inMode(person, "m")})
        or exists (select from scheduled_messages s where s.shard = t.shard and s.id = t.id${inMode(person, "s")}))`;

/** Options of every statement on a place. */
export function optionsOf({ acrossShards }: Place): StatementOptions {
  return acrossShards === undefined ? { profile: "scans" } : { profile: "scans", acrossShards };
}

/** Everything about a phone number, in the order in which an erasure takes it: what refers to a row goes before it. */
export const PLACES: readonly Place[] = [
  keyed("conversation_notes", "conversation_notes", "phone_number"),
  keyed("conversations", "conversations", "phone_number"),
  shared("topic_subscriptions", "topic_subscriptions", "phone_number"),
  keyed("pool_choices", "pool_choices", "recipient"),
  shared("verified_numbers", "verified_numbers", "phone_number"),
  keyed("verification_counts", "verification_phones", "phone"),
  keyed("verification_decisions", "verification_decisions", "phone"),
  linked(
    ...["automatic_reply_counts", "auto_reply_counts", "phone_number"],
    ...["numbers", "o.phone_number = t.texted_number"],
  ),
  shared("automation_resume_requests", "automation_resume_requests", "phone_number"),
  shared("contacts", "contacts", "phone_number"),
  {
    name: "schedule_occurrences",
    table: "schedule_occurrences",
    about: (person) => sql`${own(person)} and t.schedule_id in (
      select s.id from schedules s where s.shard = ${person.shard} and s.account_id = ${person.accountId}::uuid
         and s.to_number = ${person.phone}${inMode(person, "s")})`,
  },
  keyed("schedules", "schedules", "to_number"),
  linked("hook_calls", "hook_messages", "phone", "hooks", "o.shard = t.shard and o.id = t.hook_id"),
  { ...keyed("automation_runs", "automation_runs", "phone_number"), pass: alongShard("id") },
  { ...keyed("scheduled_messages", "scheduled_messages", "to_number"), pass: alongShard("id") },
  {
    ...keyed("verifications", "verifications", "phone"),
    pass: alongShard("id"),
    redacts: () => sql`phone = ${NOBODY}, metadata = null`,
  },
  {
    name: "batch_recipients",
    table: "batch_recipients",
    about: (
      person,
    ) => sql`t.shard = ${person.shard} and t.to_number = ${person.phone} and t.batch_id in (
      select b.id from batches b where b.shard = ${person.shard} and b.account_id = ${person.accountId}::uuid${inMode(person, "b")})`,
    unfinished: sql`t.state in ('waiting', 'handed', 'retrying')`,
    redacts: () => sql`to_number = ${NOBODY}, variables = null, metadata = null`,
  },
  {
    name: "carrier_traffic",
    table: "carrier_inbox",
    searches: ["payload"],
    acrossShards: "traffic lies in the shard of its carrier's process",
    // Traffic of other accounts about the same person is theirs.
    about: (
      person,
    ) => sql`t.shard in (0, ${person.shard}) and ${mentions("payload", person.phone.slice(1))}
      and (exists (select from messages m
                    where m.shard = ${person.shard} and m.id = t.message_id and m.account_id = ${person.accountId}::uuid${inMode(person, "m")})
           or exists (select from numbers n
                       where n.account_id = ${person.accountId}::uuid
                         and position(substr(n.phone_number, 2) in t.payload::text) > 0${inMode(person, "n")}))`,
    unfinished: sql`t.due_at is not null`,
    pass: { key: "id", among: [ofShard, () => sql`t.shard = 0`] },
  },
  {
    // Applied within seconds, which appends events: the erasure comes back for those.
    name: "simulated_receipts",
    table: "due_receipts",
    searches: ["events"],
    about: (person) => sql`${own(person)} and ${mentions("events", person.phone)}`,
    // A row has the receipts of several people.
    exported: (person) => sql`${own(person)} and false`,
    unfinished: sql`true`,
    retryMs: 60_000,
  },
  {
    name: "kept_callbacks",
    table: "kept_callbacks",
    searches: ["query", "reason", "body"],
    acrossShards: "kept callbacks lie in shard 0",
    about: (person) => ofKeptCallbacks(person, { unclaimed: true }),
    exported: (person) => ofKeptCallbacks(person, { unclaimed: false }),
    pass: { key: "id", among: [() => sql`t.shard = 0`] },
  },
  {
    name: "twilio_callbacks",
    table: "twilio_callbacks",
    searches: ["url"],
    about: (person) =>
      sql`${own(person)} and ${mentionsInAnyForm("t.url", person.phone)}${ofMessage(person)}`,
    pass: alongShard("id"),
  },
  {
    name: "webhook_deliveries",
    table: "webhook_deliveries",
    searches: ["response_body"],
    about: (person) =>
      sql`${own(person)}${inMode(person)} and (${mentions("response_body", person.phone)} or (${ofEvents(person)}))`,
    pass: ALONG_MODES,
  },
  {
    name: "undelivered_events",
    table: "webhook_undelivered",
    about: ofEvents,
    pass: alongShard("event_id"),
  },
  {
    name: "waiting_webhooks",
    table: "webhook_jobs",
    about: ofEvents,
    pass: alongShard("event_id"),
  },
  {
    name: "events",
    table: "events",
    searches: ["data"],
    about: (person) => sql`${own(person)} and ${mentions("data", person.phone)}${inMode(person)}`,
    pass: ALONG_ACCOUNT,
  },
  {
    name: "message_metadata",
    table: "message_metadata",
    about: (person) => sql`${own(person)} and exists (
      select from messages m where m.shard = t.shard and m.id = t.id and ${messageWith("m", person.phone)}${inMode(person, "m")})`,
    pass: ALONG_MODES,
  },
  {
    name: "messages",
    table: "messages",
    about: (person) => sql`${own(person)} and ${messageWith("t", person.phone)}${inMode(person)}`,
    pass: alongShard("id"),
    unfinished: sql`t.status = 'queued'`,
    redacts:
      () => sql`from_number = case when direction = 'inbound' then ${NOBODY} else from_number end,
      to_number = case when direction = 'outbound' then ${NOBODY} else to_number end, body = '', metadata = null`,
  },
  {
    name: "request_log",
    table: "request_log",
    searches: ["path", "message", "body", "answer"],
    about: (person) =>
      sql`${own(person)} and ${mentionsInAnyForm("t.path, t.message, t.body, t.answer", person.phone)}${inMode(person)}`,
    pass: ALONG_MODES,
  },
  {
    name: "idempotency_keys",
    table: "idempotency_keys",
    searches: ["response"],
    about: (person) => sql`${own(person)} and not t.encrypted
      and position(convert_to(${person.phone}, 'UTF8') in t.response) > 0${inMode(person)}`,
  },
  keyed("consent_states", "consent_states", "phone_number"),
  {
    ...keyed("consent_entries", "consent_ledger", "phone_number"),
    redacts: (alias) => sql`phone_number = ${alias}, keyword = null, note = null, evidence = null`,
  },
  {
    name: "lookup_findings",
    table: "lookup_findings",
    about: (person) => sql`t.phone_number = ${person.phone}`,
  },
];
