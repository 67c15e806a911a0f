import { defineMachine } from "./define-machine.ts";

export const verificationMachine = defineMachine({
  name: "verification",
  states: ["pending", "approved", "expired", "max_attempts"],
  born: ["pending"],
  final: ["approved", "expired", "max_attempts"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "pending", on: "right_code",      to: "approved",     emits: "verification.approved" },
    { from: "pending", on: "wrong_code",      to: "pending",      emits: "verification.failed" },
    { from: "pending", on: "last_wrong_code", to: "max_attempts", emits: "verification.failed" },
    { from: "pending", on: "checked_late",    to: "expired",      emits: "verification.failed" },
  ],
});
