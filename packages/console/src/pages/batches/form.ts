import {
  BATCH_RECIPIENTS_MAX,
  CONTACT_VARIABLES,
  mergeTemplate,
  parseTemplate,
  templateVariables,
} from "@longwave/contract/tables";
import type { BatchesCreateBody } from "@longwave/sdk";
import { type CsvTable, variableName } from "../../csv.ts";

export const ROWS_MAX = BATCH_RECIPIENTS_MAX;

/** Source of a batch's recipients. */
export type Audience = "file" | "segment" | "tags" | "contacts";

/** Draft of a batch. */
export interface BatchForm {
  readonly audience: Audience;
  readonly segmentId: string;
  readonly tags: readonly string[];
  /** Contacts that were picked on their own page. */
  readonly contactIds: readonly string[];
  /** Leaves out who is not subscribed; empty: no topic. */
  readonly topicId: string;
  readonly fileName: string;
  readonly table: CsvTable | null;
  readonly phoneColumn: number;
  readonly name: string;
  readonly from: string;
  readonly body: string;
  readonly at: string;
  readonly checkLineTypes: boolean;
}

export const EMPTY_FORM: BatchForm = {
  audience: "file",
  segmentId: "",
  tags: [],
  contactIds: [],
  topicId: "",
  fileName: "",
  table: null,
  phoneColumn: 0,
  name: "",
  from: "",
  body: "",
  at: "",
  checkLineTypes: false,
};

export interface Recipient {
  readonly to: string;
  readonly variables: Record<string, string>;
}

/** A row as a recipient: every column but the phone is a variable, by its name. */
export function recipientOf(form: BatchForm, row: readonly string[]): Recipient {
  const variables: Record<string, string> = {};
  for (const [index, column] of (form.table?.columns ?? []).entries()) {
    const name = variableName(column);
    if (index !== form.phoneColumn && name !== "") variables[name] = row[index] ?? "";
  }
  return { to: row[form.phoneColumn] ?? "", variables };
}

/** Whether the draft says who gets the message. */
export function hasAudience(form: BatchForm): boolean {
  if (form.audience === "segment") return form.segmentId !== "";
  if (form.audience === "tags") return form.tags.length > 0;
  if (form.audience === "contacts") return form.contactIds.length > 0;
  return form.table !== null;
}

function audienceOf(form: BatchForm): Partial<BatchesCreateBody> {
  if (form.audience === "segment") return { segment_id: form.segmentId };
  if (form.audience === "tags") return { tags: [...form.tags] };
  if (form.audience === "contacts") return { contact_ids: [...form.contactIds] };
  return { recipients: (form.table?.rows ?? []).map((row) => recipientOf(form, row)) };
}

export function variablesOf(form: BatchForm): string[] {
  if (form.audience !== "file") return [...CONTACT_VARIABLES];
  const columns = form.table?.columns ?? [];
  return columns
    .filter((_, index) => index !== form.phoneColumn)
    .map(variableName)
    .filter(Boolean);
}

export function requestOf(form: BatchForm, isDryRun: boolean): BatchesCreateBody {
  return {
    from: form.from,
    body: form.body,
    name: form.name.trim() || null,
    ...audienceOf(form),
    ...(form.topicId === "" ? {} : { topic_id: form.topicId }),
    ...(form.at === "" ? {} : { scheduled_at: Date.parse(form.at) }),
    ...(form.checkLineTypes ? { check_line_types: true } : {}),
    ...(isDryRun ? { dry_run: true } : {}),
  };
}

export type MergedRow =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** The message of one row. */
export function mergedRow(form: BatchForm, row: readonly string[]): MergedRow {
  return mergedFor(form, recipientOf(form, row));
}

/** The message of one recipient. */
export function mergedFor(form: BatchForm, { variables }: Recipient): MergedRow {
  const parsed = parseTemplate(form.body);
  if (!parsed.ok) return { ok: false, problem: parsed.reason };
  const merged = mergeTemplate(parsed.template, variables);
  if (merged.ok) return { ok: true, text: merged.text };
  const who = form.audience === "file" ? "This row" : "This person";
  return { ok: false, problem: `${who} has no value for {{${merged.missing}}}.` };
}

/** Variables in the message without a column. A contact may have an attribute of any name. */
export function unknownVariables(form: BatchForm): string[] {
  if (form.audience !== "file") return [];
  const parsed = parseTemplate(form.body);
  if (!parsed.ok) return [];
  const columns = new Set(variablesOf(form));
  const { template } = parsed;
  return templateVariables(template).filter(
    (name) =>
      !columns.has(name) &&
      template.placeholders.some((each) => each.name === name && each.fallback === null),
  );
}

/** Props of every step of the wizard. */
export interface StepProps {
  readonly form: BatchForm;
  readonly idempotencyKey: string;
  readonly set: (change: Partial<BatchForm>) => void;
  readonly clear: () => void;
  readonly next: () => void;
}
