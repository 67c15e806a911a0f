import { defineMachine } from "./define-machine.ts";

export const batchRecipientMachine = defineMachine({
  name: "batch_recipient",
  states: ["queued", "paused", "sent", "failed", "skipped", "canceled"],
  born: ["queued"],
  final: ["sent", "skipped", "canceled"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "queued", on: "accepted", to: "sent",     emits: null },
    { from: "queued", on: "failed",   to: "failed",   emits: null },
    { from: "queued", on: "skip",     to: "skipped",  emits: null },
    { from: "queued", on: "pause",    to: "paused",   emits: null },
    { from: "paused", on: "resume",   to: "queued",   emits: null },
    { from: "queued", on: "cancel",   to: "canceled", emits: null },
    { from: "paused", on: "cancel",   to: "canceled", emits: null },
    { from: "failed", on: "retry",    to: "queued",   emits: null },
  ],
});
