import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const automationMachine = defineMachine({
  name: "automation",
  table: "automations",
  column: "status",
  states: ["active", "paused"],
  born: { active: null },
  final: [],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "active", on: "pause",  to: "paused", emits: null },
    { from: "paused", on: "resume", to: "active", emits: null },
  ],
});

export type AutomationStatus = StateOf<typeof automationMachine>;
export const AUTOMATION_MOVES = movesOf(automationMachine);

/** A run ends once: at its last step or an exit, or early for a reason. */
export const automationRunMachine = defineMachine({
  name: "automation_run",
  table: "automation_runs",
  column: "status",
  states: ["running", "completed", "failed"],
  born: { running: "automation.run.started" },
  final: ["completed", "failed"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "running", on: "complete", to: "completed", emits: "automation.run.completed" },
    { from: "running", on: "fail",     to: "failed",    emits: "automation.run.failed" },
  ],
});

export type AutomationRunStatus = StateOf<typeof automationRunMachine>;
export const AUTOMATION_RUN_MOVES = movesOf(automationRunMachine);
