import { defineMachine, movesOf } from "./define-machine.ts";

/**
 * Where an event waits on its way to an endpoint: open to every worker, in the backlog of an endpoint
 * that is busy, or held while the endpoint is paused. What was delivered waits no longer.
 */
export const webhookJobMachine = defineMachine({
  name: "webhook_job",
  table: "webhook_jobs",
  column: "place",
  states: ["open", "backlog", "held"],
  born: { open: null },
  final: [],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "open",    on: "endpoint_busy",    to: "backlog", emits: null },
    { from: "backlog", on: "endpoint_busy",    to: "backlog", emits: null },
    { from: "open",    on: "endpoint_paused",  to: "held",    emits: null },
    { from: "backlog", on: "endpoint_paused",  to: "held",    emits: null },
    { from: "held",    on: "endpoint_resumed", to: "open",    emits: null },
    { from: "open",    on: "attempt_failed",   to: "open",    emits: null },
    { from: "backlog", on: "attempt_failed",   to: "open",    emits: null },
    { from: "open",    on: "given_back",       to: "open",    emits: null },
    { from: "backlog", on: "given_back",       to: "open",    emits: null },
  ],
});

export const WEBHOOK_JOB_MOVES = movesOf(webhookJobMachine);
