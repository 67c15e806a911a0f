import {
  formatTimestamp,
  type IdKind,
  type Mode,
  PERSONAL_DATA_ROWS_MAX,
  type PersonalData,
  Problem,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { openCursor, sealCursor } from "../../http/api/pages.ts";
import { optionsOf, type Person, PLACES, type Place } from "./places.ts";

/** Columns that say nothing about the person. */
const INTERNAL = ["shard", "account_id"];

/** Columns that tell the rows of one person apart, where that is not `id`. */
const KEYS: Readonly<Record<string, string>> = {
  auto_reply_counts: "t.texted_number",
  batch_recipients: "concat(t.batch_id, ' ', lpad(t.index::text, 10, '0'))",
  consent_states: "concat(t.mode, ' ', t.customer_id)",
  conversations: "t.mode",
  idempotency_keys: "concat(t.mode, ' ', encode(t.key_hash, 'hex'))",
  lookup_findings: "t.phone_number",
  message_metadata: "concat(t.id, ' ', t.mode, ' ', t.pair_hash)",
  pool_choices: "concat(t.pool_id, ' ', t.mode)",
  schedule_occurrences: "concat(t.schedule_id, ' ', t.occurrence_at)",
  topic_subscriptions: "t.topic_id::text",
  verification_phones: "t.mode",
  verified_numbers: "t.phone_number",
  webhook_jobs: "concat(t.event_id, ' ', t.endpoint_id)",
  webhook_undelivered: "concat(t.event_id, ' ', t.endpoint_id)",
};

/** Kinds of the ids in columns of other records. */
const ID_COLUMNS: Readonly<Record<string, IdKind>> = {
  automation_id: "automation",
  batch_id: "batch",
  contact_id: "contact",
  customer_id: "customer",
  endpoint_id: "webhook_endpoint",
  event_id: "event",
  hook_id: "hook",
  message_id: "message",
  pool_id: "pool",
  run_id: "automation_run",
  schedule_id: "schedule",
  scheduled_message_id: "scheduled_message",
  topic_id: "topic",
  verification_id: "verification",
};
/** Kinds of the `id` of records that the API shows. */
const OWN_IDS: Readonly<Record<string, IdKind>> = {
  automation_runs: "automation_run",
  consent_ledger: "consent_entry",
  contacts: "contact",
  conversation_notes: "conversation_note",
  events: "event",
  kept_callbacks: "kept_callback",
  message_metadata: "message",
  messages: "message",
  request_log: "request",
  scheduled_messages: "scheduled_message",
  schedules: "schedule",
  verifications: "verification",
  webhook_deliveries: "webhook_delivery",
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ExportQuery {
  readonly place?: string | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Everything that the account stores about one phone number in one mode, read place by place without a lock. A cursor
 * continues one place.
 */
export async function exportPerson(
  deps: Base,
  person: Person & { readonly mode: Mode },
  { place: name, cursor }: ExportQuery,
): Promise<PersonalData> {
  const wanted = PLACES.filter((place) => name === undefined || place.name === name);
  if (wanted.length === 0) throw unknownPlace(name);
  if (cursor !== undefined && name === undefined) throw cursorAlone();
  const places: PersonalData["places"] = [];
  for (const place of wanted) {
    const read = await readPlace(deps, person, place, cursor);
    if (read.records.length > 0) places.push(read);
  }
  return {
    object: "personal_data",
    phone_number: person.phone,
    exported_at: formatTimestamp(deps.clock.now()),
    places,
  };
}

interface Row {
  readonly record: Record<string, unknown>;
  readonly key: string;
}

async function readPlace(
  deps: Base,
  person: Person & { readonly mode: Mode },
  place: Place,
  cursor: string | undefined,
): Promise<PersonalData["places"][number]> {
  const { name, table, exported = place.about } = place;
  const { accountId, phone, mode } = person;
  const scope = { list: "personalData.get", owner: accountId, filters: { phone, mode, name } };
  const key = raw(`(${KEYS[table] ?? "t.id::text"}) collate "C"`);
  const after = cursor === undefined ? null : String(openCursor(deps.secrets, scope, cursor)[0]);
  const beyond = after === null ? sql`` : sql` and ${key} > ${after}`;
  const rows = await deps.db.query<Row>(
    composed(
      `export_${table}`,
      sql`select to_jsonb(t) as record, ${key} as key from ${raw(table)} t
           where ${exported(person)}${beyond} order by ${key} limit ${PERSONAL_DATA_ROWS_MAX + 1}`,
      optionsOf(place),
    ),
  );
  const shown = rows.slice(0, PERSONAL_DATA_ROWS_MAX);
  const last = shown.at(-1);
  const hasMore = rows.length > shown.length && last !== undefined;
  return {
    place: name,
    records: shown.map(({ record }) => present(table, record)),
    has_more: hasMore,
    next_cursor: hasMore ? sealCursor(deps.secrets, scope, [last.key]) : null,
  };
}

/** The record as stored, without empty and internal columns, with ids as the API shows them. */
function present(table: string, record: Record<string, unknown>): Record<string, unknown> {
  const filled = Object.entries(record).filter(
    ([column, value]) => !INTERNAL.includes(column) && value !== null,
  );
  return Object.fromEntries(
    filled.map(([column, value]) => {
      const kind = column === "id" ? OWN_IDS[table] : ID_COLUMNS[column];
      const isId = kind !== undefined && typeof value === "string" && UUID.test(value);
      return [column, isId ? toApiId(kind, value) : value];
    }),
  );
}

function unknownPlace(name = ""): Problem {
  const names = PLACES.map((place) => place.name).join(", ");
  return new Problem("invalid_request", `${name} is no place. Give one of ${names}.`, {
    param: "place",
  });
}

function cursorAlone(): Problem {
  const message = "A cursor continues one place. Give its `place` beside it.";
  return new Problem("invalid_request", message, { param: "cursor" });
}
