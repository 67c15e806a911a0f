import {
  AUTOMATION_RUN_MOVES,
  type AutomationStepResult,
  type AutomationStepType,
  formatTimestamp,
} from "@longwave/contract";
import type { ContactRow } from "../contacts/index.ts";
import type { Wanted } from "../handover/index.ts";
import type { stepEvent } from "./run-events.ts";
import type { LogEntry, RunRow } from "./run-row.ts";

/** Where a turn of a run stops. */
export type Stop =
  /** A text is to be written; then it goes on at `next`. */
  | { readonly kind: "text"; readonly wanted: Wanted; readonly next: string | null }
  | { readonly kind: "sleep"; readonly untilMs: number; readonly waitsFor: string | null }
  /** What is next takes a turn of its own. */
  | { readonly kind: "again" }
  /** Its automation is paused. */
  | { readonly kind: "hold" }
  | { readonly kind: "end"; readonly move: "complete" | "fail"; readonly reason: string | null };

/** A run in its turn: what it comes to is collected here and written at the end. */
export interface Traveller {
  readonly run: RunRow;
  contact: ContactRow | null;
  position: string | null;
  /** The step it stands at, as its log names it. */
  type: AutomationStepType;
  stop: Stop | null;
  readonly events: ReturnType<typeof stepEvent>[];
  /** Adds a line to its log, about the step it stands at. */
  note(result: AutomationStepResult, detail: string | null, messageId?: string | null): void;
  /** The run's row as the turn leaves it. */
  after(now: number): object;
}

export function createTraveller(run: RunRow, contact: ContactRow | null, now: number): Traveller {
  const log: LogEntry[] = [];
  const traveller: Traveller = {
    run,
    contact,
    position: run.position,
    type: "exit",
    stop: null,
    events: [],
    note(result, detail, messageId = null) {
      const step = traveller.position ?? "";
      const at = formatTimestamp(now);
      log.push({ step, type: traveller.type, result, detail, message_id: messageId, at });
    },
    after: (at) => ({
      id: run.id,
      log,
      position: traveller.position,
      ...afterStop(run, traveller.stop, at),
    }),
  };
  return traveller;
}

function afterStop(run: RunRow, stop: Stop | null, now: number): object {
  switch (stop?.kind) {
    case "end":
      return { status: AUTOMATION_RUN_MOVES[stop.move].to, reason: stop.reason, due_at: null };
    case "sleep": {
      const until = formatTimestamp(stop.untilMs);
      return { status: "running", due_at: until, wait_until: until, waits_for: stop.waitsFor };
    }
    case "hold": {
      const { wait_until, waits_for, heard } = run;
      const until = wait_until === null ? null : formatTimestamp(wait_until);
      return { status: "running", due_at: null, held: true, heard, wait_until: until, waits_for };
    }
    default:
      return { status: "running", due_at: formatTimestamp(now) };
  }
}
