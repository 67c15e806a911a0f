import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const accountImportMachine = defineMachine({
  name: "account_import",
  table: "account_imports",
  column: "status",
  states: ["running", "complete", "failed"],
  born: { running: null },
  final: ["complete", "failed"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "running", on: "finish", to: "complete", emits: null },
    { from: "running", on: "fail",   to: "failed",   emits: null },
  ],
});

export type AccountImportStatus = StateOf<typeof accountImportMachine>;
export const ACCOUNT_IMPORT_MOVES = movesOf(accountImportMachine);
