import { defineMachine, movesOf, type StateOf } from "./define-machine.ts";

export const portRequestMachine = defineMachine({
  name: "port_request",
  table: "port_requests",
  column: "status",
  states: ["requested", "submitted", "foc_set", "complete", "rejected"],
  born: { requested: null },
  final: ["complete"],
  // biome-ignore format: one transition per line, read as a table
  rows: [
    { from: "requested", on: "submit",   to: "submitted", emits: null },
    { from: "submitted", on: "set_foc",  to: "foc_set",   emits: null },
    { from: "foc_set",   on: "complete", to: "complete",  emits: null },
    { from: "requested", on: "reject",   to: "rejected",  emits: null },
    { from: "submitted", on: "reject",   to: "rejected",  emits: null },
    { from: "foc_set",   on: "reject",   to: "rejected",  emits: null },
    { from: "rejected",  on: "reopen",   to: "requested", emits: null },
  ],
});

export type PortRequestStatus = StateOf<typeof portRequestMachine>;
export const PORT_REQUEST_MOVES = movesOf(portRequestMachine);
