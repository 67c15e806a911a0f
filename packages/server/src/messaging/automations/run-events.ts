import type { EventData } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { NewEvent } from "../../events/log/index.ts";
import type { RunRow } from "./run-row.ts";

type RunEvent = NewEvent & { readonly accountId: string };
type RunSubject = Pick<
  RunRow,
  "account_id" | "id" | "automation_id" | "contact_id" | "phone_number" | "mode" | "properties"
>;

export function runEvent(
  type: "automation.run.started" | "automation.run.completed" | "automation.run.failed",
  run: RunSubject,
  reason: string | null,
): RunEvent {
  const data: EventData<typeof type> = { ...subject(run), reason };
  return { type, mode: run.mode, data, accountId: run.account_id };
}

/** Event of an `event` step. */
export function stepEvent(run: RunSubject, name: string): RunEvent {
  const data: EventData<"automation.run.event"> = {
    ...subject(run),
    name,
    properties: run.properties,
  };
  return { type: "automation.run.event", mode: run.mode, data, accountId: run.account_id };
}

function subject(run: RunSubject) {
  return {
    run_id: toApiId("automation_run", run.id),
    automation_id: toApiId("automation", run.automation_id),
    contact_id: run.contact_id === null ? null : toApiId("contact", run.contact_id),
    phone_number: run.phone_number,
  };
}
