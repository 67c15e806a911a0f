import type {
  AutomationReentry,
  AutomationRunStatus,
  AutomationStatus,
  AutomationStep,
  AutomationStepResult,
  AutomationStepType,
  ContactFilter,
  Mode,
} from "@longwave/contract";

export type Properties = Readonly<Record<string, string | number | boolean>>;

/** An automation with its current version, which new runs take. */
export interface AutomationRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly status: AutomationStatus;
  readonly mode: Mode;
  readonly version: number;
  readonly trigger: { readonly event: string; readonly filter?: ContactFilter };
  readonly steps: readonly AutomationStep[];
  readonly reentry: AutomationReentry;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Result of one step of a run. */
export interface LogEntry {
  readonly step: string;
  readonly type: AutomationStepType;
  readonly result: AutomationStepResult;
  readonly detail: string | null;
  /** A UUID. */
  readonly message_id: string | null;
  /** ISO 8601. */
  readonly at: string;
}

export interface RunRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly contact_id: string | null;
  readonly phone_number: string;
  readonly mode: Mode;
  readonly reentry: AutomationReentry;
  readonly is_test: boolean;
  readonly status: AutomationRunStatus;
  readonly reason: string | null;
  readonly position: string | null;
  readonly properties: Properties;
  readonly log: readonly LogEntry[];
  readonly due_at: number | null;
  readonly wait_until: number | null;
  readonly waits_for: string | null;
  readonly event_arrived: boolean;
  readonly message_failure: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
}
