import {
  LINE_TYPE_CHECKS_MAX,
  MESSAGE_BODY_CHARS_MAX,
  mergeTemplate,
  parseTextable,
  type RejectedRow,
  type RejectionReason,
  type Template,
  type TextablePhone,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { optedOutAmong } from "../consent/index.ts";
import { lookupLineTypes } from "../lookup/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import type { SourceRow } from "./sources.ts";

/** A row that gets a text. */
export interface ValidRow {
  readonly index: number;
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The text with its variables filled in. */
  readonly text: string;
}

export interface Validation {
  readonly valid: readonly ValidRow[];
  readonly rejected: readonly RejectedRow[];
}

interface Question {
  readonly account: AccountRow;
  readonly customerId: string | null;
  readonly template: Template;
  readonly checkLineTypes: boolean;
}

/** What is known of all rows at once, before each is judged. */
interface Known {
  readonly optedOut: ReadonlySet<string>;
  readonly landlines: ReadonlySet<string>;
}

type Refusal = { readonly reason: RejectionReason; readonly detail: string };

/**
 * Judges every row: what is sent, and what is not, and why. The checks stand in order of
 * precedence; a row is told the first that fails.
 */
export async function validateRows(
  deps: Deps,
  question: Question,
  rows: readonly SourceRow[],
): Promise<Validation> {
  const phones = rows.map((row) => parseTextable(row.to, { extraRegions: deps.extraRegions }));
  const unique = new Set<string>();
  for (const phone of phones) if (phone.ok) unique.add(phone.e164);
  const known = await knownOf(deps, question, [...unique]);

  const valid: ValidRow[] = [];
  const rejected: RejectedRow[] = [];
  const firstRows = new Map<string, number>();
  for (const [position, { index, to, variables }] of rows.entries()) {
    const phone = phones[position] as TextablePhone;
    const judged = phone.ok
      ? (repeatOf(firstRows, phone.e164, index) ??
        judge(question.template, known, phone.e164, variables))
      : { reason: "malformed" as const, detail: phone.reason };
    if (typeof judged !== "string") rejected.push({ index, to, ...judged });
    else if (phone.ok) valid.push({ index, to: phone.e164, variables, text: judged });
  }
  return { valid, rejected };
}

function repeatOf(firstRows: Map<string, number>, phone: string, index: number): Refusal | null {
  const first = firstRows.get(phone);
  if (first !== undefined) {
    return { reason: "duplicate", detail: `${phone} is already in row ${first}.` };
  }
  firstRows.set(phone, index);
  return null;
}

async function knownOf(deps: Deps, question: Question, phones: readonly string[]): Promise<Known> {
  const { account, customerId } = question;
  const optedOut = await optedOutAmong(deps.db, account, phones, customerId);
  const landlines = new Set<string>();
  if (question.checkLineTypes) {
    const types = await lookupLineTypes(phones.slice(0, LINE_TYPE_CHECKS_MAX));
    for (const [phone, type] of types) if (type === "landline") landlines.add(phone);
  }
  return { optedOut, landlines };
}

/** The row's text, or why it gets none. */
function judge(
  template: Template,
  known: Known,
  phone: string,
  variables: Readonly<Record<string, string>>,
): string | Refusal {
  if (known.optedOut.has(phone)) {
    return { reason: "opted_out", detail: `${phone} has opted out of texts from you.` };
  }
  if (known.landlines.has(phone)) {
    return { reason: "landline", detail: `${phone} is a landline, which gets no texts.` };
  }
  const merged = mergeTemplate(template, variables);
  if (!merged.ok) {
    const detail = `The variable ${merged.missing} has no value, and the body gives no fallback.`;
    return { reason: "missing_variable", detail };
  }
  if (merged.text.trim() === "") {
    return { reason: "missing_variable", detail: "With these variables the text is blank." };
  }
  if (isTooLong(merged.text)) {
    const detail = `With its variables the text has more than ${MESSAGE_BODY_CHARS_MAX} characters.`;
    return { reason: "too_long", detail };
  }
  return merged.text;
}

/** Characters are code points; a text that is short in UTF-16 needs no counting. */
function isTooLong(text: string): boolean {
  return text.length > MESSAGE_BODY_CHARS_MAX && [...text].length > MESSAGE_BODY_CHARS_MAX;
}

export function countReason(rejected: readonly RejectedRow[], reason: RejectionReason): number {
  return rejected.filter((row) => row.reason === reason).length;
}
