import type { EventType, Mode } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { EventRow } from "./present.ts";

/** Source of an event's mode: its data, its subject or its type. `none`: the event has no mode. */
type ModeSource = "data" | { readonly field: string; readonly kind: SubjectKind } | "live" | "none";
type SubjectKind = "message" | "verification" | "automation_run" | "schedule" | "batch";

const MESSAGE = { field: "message_id", kind: "message" } as const;
const VERIFICATION = { field: "verification_id", kind: "verification" } as const;
const RUN = { field: "run_id", kind: "automation_run" } as const;
const SCHEDULE = { field: "schedule_id", kind: "schedule" } as const;

// biome-ignore format: one event per line, read as a table
const MODE_SOURCES = {
  "message.sent":                MESSAGE,
  "message.delivered":           MESSAGE,
  "message.failed":              MESSAGE,
  "message.received":            MESSAGE,
  "message.opted_out":           MESSAGE,
  "message.opted_in":            MESSAGE,
  "conversation.updated":        "data",
  "number.purchased":            "data",
  "number.released":             "data",
  "number.sender_updated":       "data",
  "verification.sent":           VERIFICATION,
  "verification.approved":       VERIFICATION,
  "verification.failed":         VERIFICATION,
  "verification.blocked":        "none",
  "deliverability.degraded":     "live",
  "spend.threshold_reached":     "live",
  "automation.run.started":      RUN,
  "automation.run.completed":    RUN,
  "automation.run.failed":       RUN,
  "automation.run.event":        RUN,
  "schedule.occurrence_skipped": SCHEDULE,
  "schedule.paused":             SCHEDULE,
  "test.ping":                   "none",
  "broadcast.complete":          { field: "batch_id", kind: "batch" },
} as const satisfies Record<EventType, ModeSource>;

/** Ids are UUIDs and differ across tables, so one list serves all of them. */
const readSubjectModes = statement(
  "read_event_subject_modes",
  ["messages", "verifications", "automation_runs", "schedules", "batches"]
    .map(
      (table) =>
        `select t.id, t.mode from ${table} t where t.shard = $1 and t.account_id = $2 and t.id = any($3::uuid[])`,
    )
    .join(" union all "),
);

/**
 * Keeps the events of one mode. Events store no mode, so it is read from their subjects; an event without a mode, or
 * whose subject is gone, is kept for both modes.
 */
export async function eventsOfMode<E extends Pick<EventRow, "type" | "data">>(
  db: Queryable,
  account: AccountRef,
  mode: Mode,
  events: readonly E[],
): Promise<E[]> {
  const sources = events.map((event) => ({ event, ...sourceOf(event) }));
  const ids = sources.flatMap(({ subject }) => (subject === null ? [] : [subject]));
  const values = [account.shard, account.id, ids];
  const rows =
    ids.length === 0 ? [] : await db.query<{ id: string; mode: Mode }>(readSubjectModes, values);
  const modes = new Map(rows.map((row) => [row.id, row.mode]));
  return sources
    .filter(({ known, subject }) => (known ?? modes.get(subject ?? "") ?? mode) === mode)
    .map(({ event }) => event);
}

function sourceOf({ type, data }: Pick<EventRow, "type" | "data">): {
  readonly known: Mode | null;
  readonly subject: string | null;
} {
  const source: ModeSource = MODE_SOURCES[type];
  if (source === "none") return { known: null, subject: null };
  if (source === "live") return { known: "live", subject: null };
  const fields = JSON.parse(data) as Readonly<Record<string, string | null>>;
  if (source === "data") return { known: fields["mode"] as Mode, subject: null };
  return { known: null, subject: fromApiId(source.kind, fields[source.field] ?? "") };
}
