import { defineMachine, type MoneyEffect, movesOf, type StateOf } from "./define-machine.ts";

export const messageMachine = defineMachine({
  name: "message",
  table: "messages",
  column: "status",
  states: ["queued", "sent", "delivered", "failed", "received"],
  born: {
    queued: null,
    sent: "message.sent",
    failed: "message.failed",
    received: "message.received",
  },
  final: ["delivered", "failed", "received"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "queued", on: "carrier_accepted",   to: "sent",      emits: "message.sent",      money: "settle" },
    { from: "queued", on: "carrier_deferred",   to: "queued",    emits: null },
    { from: "queued", on: "given_up",           to: "failed",    emits: "message.failed",    money: "release" },
    { from: "sent",   on: "receipt_delivered",  to: "delivered", emits: "message.delivered" },
    { from: "sent",   on: "receipt_failed",     to: "failed",    emits: "message.failed" },
  ],
});

export type MessageStatus = StateOf<typeof messageMachine>;
export const MESSAGE_MOVES = movesOf(messageMachine);

/**
 * Billing of a message: `none` (free of charge), a message of the monthly allowance, reserved
 * money, or settled money. `released` returned its reservation.
 */
export const billingMachine = defineMachine({
  name: "message_billing",
  table: "messages",
  column: "billing",
  states: ["none", "allowance", "reserved", "settled", "released"],
  born: { none: null, allowance: null, reserved: null, settled: null },
  final: ["none", "settled", "released"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "reserved",  on: "settle",  to: "settled",  emits: null },
    { from: "reserved",  on: "release", to: "released", emits: null },
    { from: "allowance", on: "release", to: "released", emits: null },
  ],
});

export type MessageBilling = StateOf<typeof billingMachine>;
export const BILLING_MOVES = movesOf(billingMachine);

/** Billing of a message after one of its transitions. */
export function billingAfter(billing: MessageBilling, effect: MoneyEffect | null): MessageBilling {
  if (effect === null) return billing;
  const { from, to } = BILLING_MOVES[effect];
  return (from as readonly MessageBilling[]).includes(billing) ? to : billing;
}

/**
 * A failed or uncertain submit to a carrier; messages in flight or accepted need no row.
 * `deferred`: refused temporarily. `unknown`: the answer was lost, and may still come. `resent`:
 * sent again without waiting for that answer.
 */
export const submitAttemptMachine = defineMachine({
  name: "submit_attempt",
  table: "submit_attempts",
  column: "outcome",
  states: ["accepted", "deferred", "refused", "unknown", "resent"],
  born: { deferred: null, refused: null, unknown: null, resent: null },
  final: ["accepted", "deferred", "refused", "resent"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "unknown", on: "accepted", to: "accepted", emits: null },
    { from: "unknown", on: "deferred", to: "deferred", emits: null },
    { from: "unknown", on: "refused",  to: "refused",  emits: null },
    { from: "unknown", on: "resent",   to: "resent",   emits: null },
  ],
});

export type SubmitAttemptOutcome = StateOf<typeof submitAttemptMachine>;
export const SUBMIT_ATTEMPT_MOVES = movesOf(submitAttemptMachine);
