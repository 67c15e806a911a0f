import { formatTimestamp } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { ContactRow } from "../../people/contacts/index.ts";
import type { Program } from "./program.ts";
import type { AutomationRow, LogEntry, Properties } from "./run-row.ts";
import { waitEnd } from "./wait.ts";

/** Row of a new run. */
export interface NewRun {
  readonly id: string;
  readonly account_id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly contact_id: string | null;
  readonly phone_number: string;
  readonly mode: AutomationRow["mode"];
  readonly reentry: AutomationRow["reentry"];
  readonly is_test: boolean;
  readonly position: string | null;
  readonly properties: Properties;
  readonly log: readonly LogEntry[];
  /** ISO 8601. */
  readonly due_at: string;
  readonly wait_until: string | null;
  readonly waits_for: string | null;
}

/** Builds a run that is due at once or, if its first step is a wait, at the end of that wait. */
export function newRun(
  deps: Pick<Base, "clock" | "ids">,
  automation: AutomationRow,
  program: Program,
  contact: ContactRow,
  properties: Properties,
): NewRun {
  const now = deps.clock.now();
  const run = {
    id: deps.ids.makeAt(now),
    account_id: automation.account_id,
    automation_id: automation.id,
    version: automation.version,
    contact_id: contact.id,
    phone_number: contact.phone_number,
    mode: automation.mode,
    reentry: automation.reentry,
    is_test: false,
    position: program.first,
    properties,
  };
  const step = program.first === null ? undefined : program.steps.get(program.first);
  if (step?.type !== "wait" || program.first === null) {
    return { ...run, log: [], due_at: formatTimestamp(now), wait_until: null, waits_for: null };
  }
  const until = formatTimestamp(Math.max(now, waitEnd(step.wait, contact, now)));
  const at = formatTimestamp(now);
  const waiting = { step: program.first, type: "wait", result: "waiting" } as const;
  return {
    ...run,
    log: [{ ...waiting, detail: until, message_id: null, at }],
    due_at: until,
    wait_until: until,
    waits_for: step.wait.kind === "event" ? step.wait.event : null,
  };
}
