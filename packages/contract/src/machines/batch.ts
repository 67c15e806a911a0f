import { defineMachine } from "./define-machine.ts";

export const batchMachine = defineMachine({
  name: "batch",
  states: ["scheduled", "sending", "paused", "complete", "canceled"],
  born: ["scheduled", "sending"],
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
