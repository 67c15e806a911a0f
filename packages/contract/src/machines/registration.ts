import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

/**
 * Approval process of a registration, and its life after it: carriers suspend campaigns, and campaigns that nobody
 * renews expire.
 */
export const registrationMachine = defineMachine({
  name: "registration",
  table: "registrations",
  column: "status",
  states: [
    "draft",
    "checks_failed",
    "ready",
    "submitted",
    "in_review",
    "approved",
    "suspended",
    "expired",
    "rejected",
  ],
  born: { draft: null, checks_failed: null, ready: null },
  final: [],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "draft",         on: "check_passed", to: "ready",         emits: null },
    { from: "checks_failed", on: "check_passed", to: "ready",         emits: null },
    { from: "ready",         on: "check_passed", to: "ready",         emits: null },
    { from: "rejected",      on: "check_passed", to: "ready",         emits: null },
    { from: "expired",       on: "check_passed", to: "ready",         emits: null },
    { from: "draft",         on: "check_failed", to: "checks_failed", emits: null },
    { from: "checks_failed", on: "check_failed", to: "checks_failed", emits: null },
    { from: "ready",         on: "check_failed", to: "checks_failed", emits: null },
    { from: "rejected",      on: "check_failed", to: "checks_failed", emits: null },
    { from: "expired",       on: "check_failed", to: "checks_failed", emits: null },
    { from: "ready",         on: "submit",       to: "submitted",     emits: null },
    { from: "draft",         on: "claim",        to: "submitted",     emits: null },
    { from: "checks_failed", on: "claim",        to: "submitted",     emits: null },
    { from: "ready",         on: "claim",        to: "submitted",     emits: null },
    { from: "submitted",     on: "begin_review", to: "in_review",     emits: null },
    { from: "submitted",     on: "approve",      to: "approved",      emits: null },
    { from: "in_review",     on: "approve",      to: "approved",      emits: null },
    { from: "checks_failed", on: "override",     to: "approved",      emits: null },
    { from: "draft",         on: "vouch",        to: "approved",      emits: null },
    { from: "checks_failed", on: "vouch",        to: "approved",      emits: null },
    { from: "ready",         on: "vouch",        to: "approved",      emits: null },
    { from: "rejected",      on: "vouch",        to: "approved",      emits: null },
    { from: "submitted",     on: "reject",       to: "rejected",      emits: null },
    { from: "in_review",     on: "reject",       to: "rejected",      emits: null },
    { from: "approved",      on: "reject",       to: "rejected",      emits: null },
    { from: "suspended",     on: "reject",       to: "rejected",      emits: null },
    { from: "expired",       on: "reject",       to: "rejected",      emits: null },
    { from: "approved",      on: "suspend",      to: "suspended",     emits: null },
    { from: "approved",      on: "expire",       to: "expired",       emits: null },
    { from: "suspended",     on: "expire",       to: "expired",       emits: null },
    { from: "suspended",     on: "reinstate",    to: "approved",      emits: null },
    { from: "expired",       on: "reinstate",    to: "approved",      emits: null },
  ],
});

export type RegistrationStatus = StateOf<typeof registrationMachine>;
export const REGISTRATION_MOVES = movesOf(registrationMachine);
