import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const accountImportMachine = defineMachine({
  name: "account_import",
  table: "account_imports",
  column: "status",
  states: ["running", "complete", "failed", "canceled"],
  born: { running: null },
  final: ["complete", "failed", "canceled"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "running", on: "finish", to: "complete", emits: null },
    { from: "running", on: "fail",   to: "failed",   emits: null },
    { from: "running", on: "cancel", to: "canceled", emits: null },
  ],
});

export type AccountImportStatus = StateOf<typeof accountImportMachine>;
export const ACCOUNT_IMPORT_MOVES = movesOf(accountImportMachine);
