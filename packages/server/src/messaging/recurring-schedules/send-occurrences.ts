import {
  type FailureCode,
  SCHEDULE_FAILURES_MAX,
  SCHEDULE_MOVES,
  type SchedulePauseReason,
  type ScheduleStatus,
} from "@longwave/contract";
import { readAccounts } from "../accounts/index.ts";
import type { Tx } from "../db/database.ts";
import { eventGroupStep } from "../events/index.ts";
import {
  acceptIn,
  type Composed,
  compose,
  type HandOver,
  type HandoverDeps,
  handOversOf,
  lockAccounts,
  NOT_DEALT_WITH,
  type Places,
  type Verdict,
} from "../handover/index.ts";
import { expect } from "../platform/assert.ts";
import { type Due, dueOf } from "./due.ts";
import { pausedEvent, skippedEvent } from "./schedule-events.ts";
import type { OccurrenceRow, ScheduleRow } from "./schedule-row.ts";
import { insertOccurrences, writeSchedules } from "./sql.ts";
import { wantedOf } from "./wanted.ts";

/** What the turns of a chunk write, collected schedule by schedule. */
interface Written {
  readonly occurrences: (OccurrenceRow & { readonly account_id: string })[];
  readonly schedules: After[];
  readonly events: (ReturnType<typeof pausedEvent> | ReturnType<typeof skippedEvent>)[];
}

/** How a turn leaves a schedule. */
interface After {
  readonly id: string;
  readonly status: ScheduleStatus;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly failures: number;
  readonly failed_at: string | null;
  readonly pause_reason: SchedulePauseReason | null;
}

/** What became of an occurrence that was to be sent now. */
type Outcome =
  | { readonly sent: Composed }
  | { readonly failed: FailureCode; readonly carrierCode?: string | null; readonly text?: Composed }
  | "recipient_opted_out";

/** One turn of each of these schedules, whose rows are locked; answers what is left to hand over. */
export async function takeTurns(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  schedules: readonly ScheduleRow[],
  places: Places,
  now: number,
): Promise<HandOver[]> {
  if (schedules.length === 0) return [];
  const written: Written = { occurrences: [], schedules: [], events: [] };
  const composed: { due: Due; text: Composed }[] = [];
  const accounts = [...new Set(schedules.map((schedule) => schedule.account_id))];
  const accountOf = await readAccounts(tx, accounts);
  for (const schedule of schedules) {
    const due = dueOf(deps.log, schedule, now);
    for (const at of due.missed) writeSkipped(written, schedule, at, "missed");
    if (due.sendAt === null) writeUnsent(written, due);
    else {
      const account = expect(accountOf.get(schedule.account_id), "a schedule has no account");
      const wanted = await wantedOf(deps, account, schedule);
      if (typeof wanted === "string") writeOutcome(written, due, { failed: wanted }, true);
      else composed.push({ due, text: await compose(deps, wanted, places) });
    }
  }
  const texts = composed.map(({ text }) => text);
  // All of them first and in one order: events lock the accounts of schedules that send nothing.
  await tx.query(lockAccounts, [shard, accounts]);
  const accepted = texts.length === 0 ? [] : await acceptIn(deps, tx, shard, texts);
  accepted.forEach(({ verdict }, index) => {
    const { due, text } = composed[index] as (typeof composed)[number];
    writeOutcome(written, due, outcomeOf(verdict, text), false);
  });
  await write(deps, tx, shard, written, now);
  return handOversOf(texts, accepted, places);
}

/** A turn that cannot be taken, whatever the matter: its occurrence failed. */
export async function failTurn(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  schedule: ScheduleRow,
  now: number,
): Promise<void> {
  const written: Written = { occurrences: [], schedules: [], events: [] };
  const due = dueOf(deps.log, schedule, now);
  for (const at of due.missed) writeSkipped(written, schedule, at, "missed");
  if (due.sendAt === null) writeUnsent(written, due);
  else writeOutcome(written, due, { failed: NOT_DEALT_WITH }, false);
  await tx.query(lockAccounts, [shard, [schedule.account_id]]);
  await write(deps, tx, shard, written, now);
}

function outcomeOf(verdict: Verdict, text: Composed): Outcome {
  if (verdict === "recipient_opted_out") return verdict;
  if (verdict !== "accepted") {
    return { failed: verdict === "duplicate" ? "sender_unavailable" : verdict };
  }
  const { status, failure_code, carrier_code } = text.row;
  if (status !== "failed" || failure_code === null) return { sent: text };
  return { failed: failure_code, carrierCode: carrier_code, text };
}

/** Nothing is sent now: texts have failed too often, nothing is due yet, or everything was missed. */
function writeUnsent(written: Written, due: Due): void {
  const { failures, failed_at } = due.schedule;
  if (failures >= SCHEDULE_FAILURES_MAX) {
    pause(written, due, "repeated_failures", failed_at, failures, failed_at);
  } else goOn(written, due, failures, failed_at);
}

function writeOutcome(written: Written, due: Due, outcome: Outcome, isOfSender: boolean): void {
  const { schedule } = due;
  const at = due.sendAt as number;
  const { failures, failed_at } = schedule;
  if (outcome === "recipient_opted_out") {
    writeSkipped(written, schedule, at, outcome);
    pause(written, due, outcome, at, failures, failed_at);
  } else if ("sent" in outcome) {
    writeOccurrence(written, schedule, at, { status: "sent", message_id: outcome.sent.row.id });
    goOn(written, due, failures, failed_at);
  } else {
    writeOccurrence(written, schedule, at, {
      status: "failed",
      message_id: outcome.text?.row.id ?? null,
      failure_code: outcome.failed,
      carrier_code: outcome.carrierCode ?? null,
    });
    const counted = failures + 1;
    if (isOfSender) pause(written, due, "sender_unavailable", at, counted, at);
    else if (counted >= SCHEDULE_FAILURES_MAX) {
      pause(written, due, "repeated_failures", at, counted, at);
    } else goOn(written, due, counted, at);
  }
}

function writeSkipped(
  written: Written,
  schedule: ScheduleRow,
  at: number,
  reason: "recipient_opted_out" | "missed",
): void {
  writeOccurrence(written, schedule, at, { status: "skipped", reason });
  written.events.push(skippedEvent(schedule, reason, at));
}

function writeOccurrence(
  { occurrences }: Written,
  { id, account_id }: ScheduleRow,
  at: number,
  row: Partial<OccurrenceRow> & Pick<OccurrenceRow, "status">,
): void {
  const empty = { message_id: null, failure_code: null, carrier_code: null, reason: null };
  occurrences.push({ account_id, schedule_id: id, occurrence_at: at, ...empty, ...row });
}

/** On to the next occurrence; without one the schedule has ended. */
function goOn(
  { schedules }: Written,
  { schedule, nextAt, lastAt }: Due,
  failures: number,
  failedAt: number | null,
): void {
  const status = nextAt === null ? SCHEDULE_MOVES.end.to : SCHEDULE_MOVES.resume.to;
  const after = { id: schedule.id, status, failures, pause_reason: null };
  const times = { next_at: iso(nextAt), last_at: iso(lastAt), failed_at: iso(failedAt) };
  schedules.push({ ...after, ...times });
}

function pause(
  { schedules, events }: Written,
  { schedule, lastAt }: Due,
  reason: SchedulePauseReason,
  occurrenceAt: number | null,
  failures: number,
  failedAt: number | null,
): void {
  const status = SCHEDULE_MOVES.self_pause.to;
  const after = { id: schedule.id, status, next_at: null, failures, pause_reason: reason };
  schedules.push({ ...after, last_at: iso(lastAt), failed_at: iso(failedAt) });
  events.push(pausedEvent(schedule, reason, occurrenceAt));
}

async function write(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  { occurrences, schedules, events }: Written,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = occurrences.map((one) => ({ ...one, occurrence_at: iso(one.occurrence_at) }));
  if (rows.length > 0) await tx.query(insertOccurrences, [shard, JSON.stringify(rows), at]);
  await tx.query(writeSchedules, [shard, JSON.stringify(schedules), at]);
  const told = eventGroupStep(deps, shard, events);
  if (told) await tx.query(told.statement, told.values);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
