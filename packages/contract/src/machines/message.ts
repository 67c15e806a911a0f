import { defineMachine } from "./define-machine.ts";

export const messageMachine = defineMachine({
  name: "message",
  states: ["queued", "sent", "delivered", "failed", "received"],
  born: ["queued", "sent", "failed", "received"],
  final: ["delivered", "failed", "received"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "queued", on: "carrier_accepted",   to: "sent",      emits: "message.sent" },
    { from: "queued", on: "carrier_deferred",   to: "queued",    emits: null },
    { from: "queued", on: "carrier_rejected",   to: "failed",    emits: "message.failed" },
    { from: "queued", on: "attempts_exhausted", to: "failed",    emits: "message.failed" },
    { from: "queued", on: "outcome_unknown",    to: "failed",    emits: "message.failed" },
    { from: "sent",   on: "receipt_delivered",  to: "delivered", emits: "message.delivered" },
    { from: "sent",   on: "receipt_failed",     to: "failed",    emits: "message.failed" },
  ],
});
