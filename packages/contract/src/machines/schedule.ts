import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const scheduleMachine = defineMachine({
  name: "schedule",
  table: "schedules",
  column: "status",
  states: ["active", "paused", "ended"],
  born: { active: null },
  final: ["ended"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "active", on: "pause",       to: "paused", emits: null },
    { from: "active", on: "self_pause",  to: "paused", emits: "schedule.paused" },
    { from: "paused", on: "resume",      to: "active", emits: null },
    { from: "active", on: "end",         to: "ended",  emits: null },
    { from: "paused", on: "end",         to: "ended",  emits: null },
  ],
});

export type ScheduleStatus = StateOf<typeof scheduleMachine>;
export const SCHEDULE_MOVES = movesOf(scheduleMachine);

/** State of one occurrence. It follows its message: `sent` is not final. */
export const occurrenceMachine = defineMachine({
  name: "schedule_occurrence",
  table: "schedule_occurrences",
  column: "status",
  states: ["sent", "delivered", "failed", "skipped"],
  born: { sent: null, failed: null, skipped: "schedule.occurrence_skipped" },
  final: ["delivered", "failed", "skipped"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "sent", on: "text_delivered", to: "delivered", emits: null },
    { from: "sent", on: "text_failed",    to: "failed",    emits: null },
  ],
});

export type OccurrenceStatus = StateOf<typeof occurrenceMachine>;
export const OCCURRENCE_MOVES = movesOf(occurrenceMachine);
