import { defineMachine } from "./define-machine.ts";

export const scheduledMessageMachine = defineMachine({
  name: "scheduled_message",
  states: ["pending", "sent", "canceled", "failed"],
  born: ["pending"],
  final: ["sent", "canceled", "failed"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "pending", on: "due",          to: "sent",     emits: null },
    { from: "pending", on: "check_failed", to: "failed",   emits: null },
    { from: "pending", on: "cancel",       to: "canceled", emits: null },
  ],
});
