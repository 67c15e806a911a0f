import { defineMachine } from "./define-machine.ts";

/** One event on its way to one endpoint. */
export const webhookDeliveryMachine = defineMachine({
  name: "webhook_delivery",
  states: ["pending", "delivered", "undelivered"],
  born: ["pending"],
  final: ["delivered"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "pending",     on: "answered_2xx",        to: "delivered",   emits: null },
    { from: "pending",     on: "attempt_failed",      to: "pending",     emits: null },
    { from: "pending",     on: "last_attempt_failed", to: "undelivered", emits: null },
    { from: "undelivered", on: "replayed",            to: "delivered",   emits: null },
  ],
});
