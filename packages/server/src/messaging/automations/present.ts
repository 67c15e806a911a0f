import { type Automation, type AutomationRun, formatTimestamp } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { AutomationRow, RunRow } from "./run-row.ts";

export function presentAutomation(row: AutomationRow): Automation {
  return {
    id: toApiId("automation", row.id),
    object: "automation",
    name: row.name,
    status: row.status,
    mode: row.mode,
    trigger: row.trigger,
    steps: [...row.steps],
    reentry: row.reentry,
    version: row.version,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

export function presentRun(row: RunRow): AutomationRun {
  return {
    id: toApiId("automation_run", row.id),
    object: "automation_run",
    automation_id: toApiId("automation", row.automation_id),
    version: row.version,
    contact_id: row.contact_id === null ? null : toApiId("contact", row.contact_id),
    phone_number: row.phone_number,
    status: row.status,
    reason: row.reason,
    test: row.is_test,
    wait_until: row.wait_until === null ? null : formatTimestamp(row.wait_until),
    steps: row.log.map((entry) => ({
      ...entry,
      message_id: entry.message_id === null ? null : toApiId("message", entry.message_id),
    })),
    started_at: formatTimestamp(row.started_at),
    ended_at: row.ended_at === null ? null : formatTimestamp(row.ended_at),
  };
}
