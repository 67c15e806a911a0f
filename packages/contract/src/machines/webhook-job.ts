import { defineMachine, movesOf } from "./define-machine.ts";

/**
 * Queue state of a pending delivery. A `ready` job is due, or leased by a worker; a `delayed` one
 * waits for its next attempt; a `paused` one waits for its endpoint. A delivered event has no job.
 */
export const webhookJobMachine = defineMachine({
  name: "webhook_job",
  table: "webhook_jobs",
  column: "queue_state",
  states: ["ready", "delayed", "paused"],
  born: { ready: null },
  final: [],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "ready",   on: "attempt_failed",  to: "delayed", emits: null },
    { from: "delayed", on: "retry_due",       to: "ready",   emits: null },
    { from: "ready",   on: "endpoint_paused", to: "paused",  emits: null },
    { from: "paused",  on: "pause_ended",     to: "ready",   emits: null },
  ],
});

export const WEBHOOK_JOB_MOVES = movesOf(webhookJobMachine);
