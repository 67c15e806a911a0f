import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

/**
 * Registration state of a number with the carriers. A live US local number is `pending` during the
 * review of its registration and while being linked, and `active` once linked. It needs action when
 * the registration was rejected, is full, or the link failed. Numbers that need no registration
 * start `active`, and the operator may vouch for one that is registered elsewhere.
 */
export const senderMachine = defineMachine({
  name: "sender",
  table: "numbers",
  column: "sender_state",
  states: ["test_only", "pending", "active", "action_needed"],
  born: { test_only: null, active: null, pending: null },
  final: [],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "test_only",     on: "wait",   to: "pending",       emits: "number.sender_updated" },
    { from: "active",        on: "wait",   to: "pending",       emits: "number.sender_updated" },
    { from: "action_needed", on: "wait",   to: "pending",       emits: "number.sender_updated" },
    { from: "pending",       on: "link",   to: "active",        emits: "number.sender_updated" },
    { from: "test_only",     on: "vouch",  to: "active",        emits: "number.sender_updated" },
    { from: "pending",       on: "vouch",  to: "active",        emits: "number.sender_updated" },
    { from: "action_needed", on: "vouch",  to: "active",        emits: "number.sender_updated" },
    { from: "test_only",     on: "refuse", to: "action_needed", emits: "number.sender_updated" },
    { from: "pending",       on: "refuse", to: "action_needed", emits: "number.sender_updated" },
    { from: "active",        on: "refuse", to: "action_needed", emits: "number.sender_updated" },
    { from: "pending",       on: "drop",   to: "test_only",     emits: "number.sender_updated" },
    { from: "active",        on: "drop",   to: "test_only",     emits: "number.sender_updated" },
    { from: "action_needed", on: "drop",   to: "test_only",     emits: "number.sender_updated" },
  ],
});

export type SenderState = StateOf<typeof senderMachine>;
export const SENDER_MOVES = movesOf(senderMachine);
