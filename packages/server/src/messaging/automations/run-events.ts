import type { EventData } from "@longwave/contract";
import type { NewEvent } from "../events/index.ts";
import { toApiId } from "../platform/ids.ts";
import type { RunRow } from "./run-row.ts";

type RunEvent = NewEvent & { readonly accountId: string };
type Told = Pick<
  RunRow,
  "account_id" | "id" | "automation_id" | "contact_id" | "phone_number" | "properties"
>;

export function runEvent(
  type: "automation.run.started" | "automation.run.completed" | "automation.run.failed",
  run: Told,
  reason: string | null,
): RunEvent {
  const data: EventData<typeof type> = { ...subject(run), reason };
  return { type, data, accountId: run.account_id };
}

/** What a step of type `event` tells. */
export function stepEvent(run: Told, name: string): RunEvent {
  const data: EventData<"automation.run.event"> = {
    ...subject(run),
    name,
    properties: run.properties,
  };
  return { type: "automation.run.event", data, accountId: run.account_id };
}

function subject(run: Told) {
  return {
    run_id: toApiId("automation_run", run.id),
    automation_id: toApiId("automation", run.automation_id),
    contact_id: run.contact_id === null ? null : toApiId("contact", run.contact_id),
    phone_number: run.phone_number,
  };
}
