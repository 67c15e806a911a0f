import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const batchMachine = defineMachine({
  name: "batch",
  table: "batches",
  column: "status",
  states: ["scheduled", "sending", "paused", "complete", "canceled"],
  born: { scheduled: null, sending: null },
  final: ["canceled"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "scheduled", on: "due",          to: "sending",   emits: null },
    { from: "scheduled", on: "pause",        to: "paused",    emits: null },
    { from: "sending",   on: "pause",        to: "paused",    emits: null },
    { from: "paused",    on: "resume_later", to: "scheduled", emits: null },
    { from: "paused",    on: "resume",       to: "sending",   emits: null },
    { from: "scheduled", on: "cancel",       to: "canceled",  emits: null },
    { from: "sending",   on: "cancel",       to: "canceled",  emits: null },
    { from: "paused",    on: "cancel",       to: "canceled",  emits: null },
    { from: "sending",   on: "finish",       to: "complete",  emits: "broadcast.complete" },
    { from: "complete",  on: "retry",        to: "sending",   emits: null },
  ],
});

export type BatchStatus = StateOf<typeof batchMachine>;
export const BATCH_MOVES = movesOf(batchMachine);

/**
 * State of a recipient, independent of its batch: `waiting` to be sent, `handed` to a carrier
 * without an answer, `retrying` after a temporary refusal, or final.
 */
export const batchRecipientMachine = defineMachine({
  name: "batch_recipient",
  table: "batch_recipients",
  column: "state",
  states: ["waiting", "handed", "retrying", "sent", "failed", "skipped"],
  born: { waiting: null },
  final: ["sent", "skipped"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "waiting",  on: "submit",           to: "handed",   emits: null },
    { from: "retrying", on: "submit",           to: "handed",   emits: null },
    { from: "waiting",  on: "carrier_deferred", to: "retrying", emits: null },
    { from: "handed",   on: "carrier_deferred", to: "retrying", emits: null },
    { from: "waiting",  on: "carrier_accepted", to: "sent",     emits: null },
    { from: "handed",   on: "carrier_accepted", to: "sent",     emits: null },
    { from: "retrying", on: "carrier_accepted", to: "sent",     emits: null },
    { from: "waiting",  on: "fail",             to: "failed",   emits: null },
    { from: "handed",   on: "fail",             to: "failed",   emits: null },
    { from: "retrying", on: "fail",             to: "failed",   emits: null },
    { from: "waiting",  on: "skip",             to: "skipped",  emits: null },
    { from: "handed",   on: "skip",             to: "skipped",  emits: null },
    { from: "retrying", on: "skip",             to: "skipped",  emits: null },
    { from: "failed",   on: "retry",            to: "waiting",  emits: null },
  ],
});

export type BatchRecipientState = StateOf<typeof batchRecipientMachine>;
export const BATCH_RECIPIENT_MOVES = movesOf(batchRecipientMachine);

/**
 * Statuses of a recipient in the API: unsent ones are queued, paused or canceled with their batch.
 */
export const BATCH_RECIPIENT_STATUSES = [
  "queued",
  "paused",
  "sent",
  "failed",
  "skipped",
  "canceled",
] as const;

/** Statuses, where `sent` divides into delivered, failed and still sent by the message's receipts. */
export const BATCH_RECIPIENT_OUTCOMES = [...BATCH_RECIPIENT_STATUSES, "delivered"] as const;

export type BatchRecipientOutcome = (typeof BATCH_RECIPIENT_OUTCOMES)[number];

export type BatchRecipientStatus = (typeof BATCH_RECIPIENT_STATUSES)[number];
