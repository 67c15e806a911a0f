import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const scheduledMessageMachine = defineMachine({
  name: "scheduled_message",
  table: "scheduled_messages",
  column: "status",
  states: ["pending", "sent", "canceled", "failed"],
  born: { pending: null },
  final: ["sent", "canceled", "failed"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "pending", on: "due",          to: "sent",     emits: null },
    { from: "pending", on: "check_failed", to: "failed",   emits: null },
    { from: "pending", on: "cancel",       to: "canceled", emits: null },
  ],
});

export type ScheduledMessageStatus = StateOf<typeof scheduledMessageMachine>;
export const SCHEDULED_MESSAGE_MOVES = movesOf(scheduledMessageMachine);
