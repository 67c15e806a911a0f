import {
  AUTOMATION_RUN_MOVES,
  type AutomationStepResult,
  type AutomationStepType,
  formatTimestamp,
} from "@longwave/contract";
import type { ContactRow } from "../../people/contacts/index.ts";
import type { OutboundRequest } from "../outbound/index.ts";
import type { stepEvent } from "./run-events.ts";
import type { LogEntry, RunRow } from "./run-row.ts";

/** Reason why the execution of a run stops. */
export type Stop =
  /** The caller sends a message; then the run continues at `next`. */
  | { readonly kind: "send"; readonly request: OutboundRequest; readonly next: string | null }
  | { readonly kind: "sleep"; readonly untilMs: number; readonly waitsFor: string | null }
  /** The next step needs another pass of the lane. */
  | { readonly kind: "again" }
  /** The automation is paused. */
  | { readonly kind: "pause" }
  | { readonly kind: "end"; readonly move: "complete" | "fail"; readonly reason: string | null };

/** Position of a run while it executes. Collects changes, which one statement writes at the end. */
export interface RunCursor {
  readonly run: RunRow;
  contact: ContactRow | null;
  position: string | null;
  /** Type of the present step, for the log. */
  type: AutomationStepType;
  stop: Stop | null;
  readonly events: ReturnType<typeof stepEvent>[];
  /** Appends a log entry about the present step. */
  note(result: AutomationStepResult, detail: string | null, messageId?: string | null): void;
  /** Changed columns of the run's row. */
  after(now: number): object;
}

export function createRunCursor(run: RunRow, contact: ContactRow | null, now: number): RunCursor {
  const log: LogEntry[] = [];
  const cursor: RunCursor = {
    run,
    contact,
    position: run.position,
    type: "exit",
    stop: null,
    events: [],
    note(result, detail, messageId = null) {
      const step = cursor.position ?? "";
      const at = formatTimestamp(now);
      log.push({ step, type: cursor.type, result, detail, message_id: messageId, at });
    },
    after: (at) => ({
      id: run.id,
      log,
      position: cursor.position,
      ...afterStop(run, cursor.stop, at),
    }),
  };
  return cursor;
}

function afterStop(run: RunRow, stop: Stop | null, now: number): object {
  switch (stop?.kind) {
    case "end":
      return { status: AUTOMATION_RUN_MOVES[stop.move].to, reason: stop.reason, due_at: null };
    case "sleep": {
      const until = formatTimestamp(stop.untilMs);
      return { status: "running", due_at: until, wait_until: until, waits_for: stop.waitsFor };
    }
    case "pause": {
      const { wait_until, waits_for, event_arrived } = run;
      const until = wait_until === null ? null : formatTimestamp(wait_until);
      return {
        status: "running",
        due_at: null,
        paused: true,
        event_arrived,
        wait_until: until,
        waits_for,
      };
    }
    default:
      return { status: "running", due_at: formatTimestamp(now) };
  }
}
