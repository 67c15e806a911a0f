import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const verificationMachine = defineMachine({
  name: "verification",
  table: "verifications",
  column: "status",
  states: ["pending", "approved", "expired", "max_attempts"],
  born: { pending: "verification.sent" },
  final: ["approved", "expired", "max_attempts"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "pending", on: "right_code",      to: "approved",     emits: "verification.approved" },
    { from: "pending", on: "wrong_code",      to: "pending",      emits: "verification.failed" },
    { from: "pending", on: "last_wrong_code", to: "max_attempts", emits: "verification.failed" },
    { from: "pending", on: "checked_late",    to: "expired",      emits: "verification.failed" },
  ],
});

export type VerificationStatus = StateOf<typeof verificationMachine>;
export const VERIFICATION_MOVES = movesOf(verificationMachine);
