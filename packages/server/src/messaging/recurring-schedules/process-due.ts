import {
  type FailureCode,
  SCHEDULE_FAILURES_MAX,
  SCHEDULE_MOVES,
  type SchedulePauseReason,
  type ScheduleStatus,
} from "@longwave/contract";
import { readAccounts } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { eventGroupStep } from "../../events/log/index.ts";
import { lockAccounts, type PreparedMessage } from "../messages/index.ts";
import {
  acceptDue,
  type DueOutcome,
  type OutboundDeps,
  type OutboundRequest,
  prepareDue,
  type Submission,
  UNPROCESSABLE,
  type WindowSlots,
} from "../outbound/index.ts";
import { type Due, dueOf } from "./due.ts";
import { requestOf } from "./outbound-request.ts";
import { pausedEvent, skippedEvent } from "./schedule-events.ts";
import type { OccurrenceRow, ScheduleRow } from "./schedule-row.ts";
import { insertOccurrences, writeSchedules } from "./sql.ts";

/** Search steps between yields to the event loop: a few milliseconds. A chunk of common rules takes fewer. */
const STEPS_AT_ONCE_MAX = 50_000;

/** Rows and events of a chunk, collected schedule by schedule and written together. */
interface ChunkWrites {
  readonly occurrences: (OccurrenceRow & { readonly account_id: string })[];
  readonly schedules: ScheduleChange[];
  readonly events: (ReturnType<typeof pausedEvent> | ReturnType<typeof skippedEvent>)[];
}

/** New values of a schedule's row. */
interface ScheduleChange {
  readonly id: string;
  readonly status: ScheduleStatus;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly failures: number;
  readonly failed_at: string | null;
  readonly pause_reason: SchedulePauseReason | null;
}

/** Failures of the sender that pause a schedule at once. */
const SENDER_FAILURES: readonly FailureCode[] = ["sender_unavailable", "sender_not_registered"];

/** Outcome of an occurrence sent now. */
type Outcome =
  | { readonly sent: PreparedMessage }
  | {
      readonly failed: FailureCode;
      readonly carrierCode?: string | null;
      readonly message?: PreparedMessage;
      readonly isOfSender?: boolean;
    }
  | "recipient_opted_out";

/** Sends the due occurrence of each locked schedule; returns the messages left to submit. */
export async function sendOccurrences(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  schedules: readonly ScheduleRow[],
  slots: WindowSlots,
  now: number,
): Promise<Submission[]> {
  if (schedules.length === 0) return [];
  const writes: ChunkWrites = { occurrences: [], schedules: [], events: [] };
  const sending: { readonly due: Due; readonly request: OutboundRequest }[] = [];
  const accounts = [...new Set(schedules.map((schedule) => schedule.account_id))];
  const accountOf = await readAccounts(tx, accounts);
  let steps = 0;
  for (const schedule of schedules) {
    const due = dueOf(deps.log, schedule, now);
    steps += due.steps;
    if (steps > STEPS_AT_ONCE_MAX) {
      steps = 0;
      await yieldToEventLoop();
    }
    for (const at of due.missed) writeSkipped(writes, schedule, at, "missed");
    if (due.sendAt === null) writeUnsent(writes, due);
    else {
      const account = expect(accountOf.get(schedule.account_id), "a schedule has no account");
      sending.push({ due, request: requestOf(account, schedule) });
    }
  }
  const requests = sending.map(({ request }) => request);
  const prepared = await prepareDue(deps, tx, shard, requests, slots);
  // Locks all accounts up front, in one order: later events lock the accounts of schedules that send nothing.
  await tx.query(lockAccounts, [shard, accounts]);
  const options = { skipsOptedOut: true };
  const { outcomes, submissions } = await acceptDue(deps, tx, shard, prepared, slots, options);
  for (const [index, { due }] of sending.entries()) {
    writeOutcome(writes, due, outcomeOf(outcomes[index] as DueOutcome));
  }
  await write(deps, tx, shard, writes, now);
  return submissions;
}

/** Fails the occurrence of a schedule whose processing throws by itself. */
export async function failOccurrence(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  schedule: ScheduleRow,
  now: number,
): Promise<void> {
  const writes: ChunkWrites = { occurrences: [], schedules: [], events: [] };
  const due = dueOf(deps.log, schedule, now);
  for (const at of due.missed) writeSkipped(writes, schedule, at, "missed");
  if (due.sendAt === null) writeUnsent(writes, due);
  else writeOutcome(writes, due, { failed: UNPROCESSABLE });
  await tx.query(lockAccounts, [shard, [schedule.account_id]]);
  await write(deps, tx, shard, writes, now);
}

function outcomeOf({ message, failure }: DueOutcome): Outcome {
  if (message === null) return "recipient_opted_out";
  const { status, failure_code, carrier_code } = message.row;
  if (status !== "failed" || failure_code === null) return { sent: message };
  const isOfSender = failure !== null && SENDER_FAILURES.includes(failure);
  return { failed: failure_code, carrierCode: carrier_code, message, isOfSender };
}

/** Without an occurrence to send: too many failures, nothing due yet, or all occurrences missed. */
function writeUnsent(writes: ChunkWrites, due: Due): void {
  const { failures, failed_at } = due.schedule;
  if (failures >= SCHEDULE_FAILURES_MAX) {
    pause(writes, due, "repeated_failures", failed_at, failures, failed_at);
  } else advance(writes, due, failures, failed_at);
}

function writeOutcome(writes: ChunkWrites, due: Due, outcome: Outcome): void {
  const { schedule } = due;
  const at = due.sendAt as number;
  const { failures, failed_at } = schedule;
  if (outcome === "recipient_opted_out") {
    writeSkipped(writes, schedule, at, outcome);
    pause(writes, due, outcome, at, failures, failed_at);
  } else if ("sent" in outcome) {
    writeOccurrence(writes, schedule, at, { status: "sent", message_id: outcome.sent.row.id });
    advance(writes, due, failures, failed_at);
  } else {
    writeOccurrence(writes, schedule, at, {
      status: "failed",
      message_id: outcome.message?.row.id ?? null,
      failure_code: outcome.failed,
      carrier_code: outcome.carrierCode ?? null,
    });
    const counted = failures + 1;
    if (outcome.isOfSender) pause(writes, due, "sender_unavailable", at, counted, at);
    else if (counted >= SCHEDULE_FAILURES_MAX) {
      pause(writes, due, "repeated_failures", at, counted, at);
    } else advance(writes, due, counted, at);
  }
}

function writeSkipped(
  writes: ChunkWrites,
  schedule: ScheduleRow,
  at: number,
  reason: "recipient_opted_out" | "missed",
): void {
  writeOccurrence(writes, schedule, at, { status: "skipped", reason });
  writes.events.push(skippedEvent(schedule, reason, at));
}

function writeOccurrence(
  { occurrences }: ChunkWrites,
  { id, account_id }: ScheduleRow,
  at: number,
  row: Partial<OccurrenceRow> & Pick<OccurrenceRow, "status">,
): void {
  const empty = { message_id: null, failure_code: null, carrier_code: null, reason: null };
  occurrences.push({ account_id, schedule_id: id, occurrence_at: at, ...empty, ...row });
}

/** Moves a schedule to its next occurrence; without one the schedule ends. */
function advance(
  { schedules }: ChunkWrites,
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
  { schedules, events }: ChunkWrites,
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
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  { occurrences, schedules, events }: ChunkWrites,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const rows = occurrences.map((one) => ({ ...one, occurrence_at: iso(one.occurrence_at) }));
  if (rows.length > 0) await tx.query(insertOccurrences, [shard, JSON.stringify(rows), at]);
  await tx.query(writeSchedules, [shard, JSON.stringify(schedules), at]);
  const appendStep = eventGroupStep(deps, shard, events);
  if (appendStep) await tx.query(appendStep.statement, appendStep.values);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
