import {
  isBlank,
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
import { createSlices, type Slices } from "../platform/slices.ts";
import { unsubscribedAmong } from "../topics/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import type { SourcePages, SourceRow } from "./sources.ts";

/** A row that gets a text. */
export interface ValidRow {
  readonly index: number;
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Is shown each text with its variables filled in, in the order of the rows: nobody keeps them all. */
export type SeeText = (to: string, text: string) => void;

export interface Validation {
  /** How many rows there were. */
  readonly total: number;
  readonly valid: readonly ValidRow[];
  readonly rejected: readonly RejectedRow[];
}

/** What was judged so far, over all pages. */
interface Judging {
  total: number;
  readonly valid: ValidRow[];
  readonly rejected: RejectedRow[];
  /** The row in which each number stands first. */
  readonly firstRows: Map<string, number>;
  lineChecks: number;
  readonly slices: Slices;
}

interface Question {
  readonly account: AccountRow;
  readonly customerId: string | null;
  readonly template: Template;
  readonly checkLineTypes: boolean;
  /** The topic (a UUID) that the batch is sent under, if any. */
  readonly topicId: string | null;
  readonly see: SeeText;
}

/** What is known of all rows at once, before each is judged. */
interface Known {
  readonly optedOut: ReadonlySet<string>;
  readonly unsubscribed: ReadonlySet<string>;
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
  pages: SourcePages,
): Promise<Validation> {
  const judging: Judging = {
    valid: [],
    rejected: [],
    firstRows: new Map(),
    lineChecks: 0,
    total: 0,
    slices: createSlices(deps.clock),
  };
  for await (const rows of pages) {
    judging.total += rows.length;
    await judgePage(deps, question, judging, rows);
  }
  return judging;
}

async function judgePage(
  deps: Deps,
  question: Question,
  judging: Judging,
  rows: readonly SourceRow[],
): Promise<void> {
  const { valid, rejected, firstRows, slices } = judging;
  const phones = rows.map((row) => parseTextable(row.to, { extraRegions: deps.extraRegions }));
  const unique = new Set<string>();
  for (const phone of phones) {
    if (phone.ok && !firstRows.has(phone.e164)) unique.add(phone.e164);
  }
  const known = await knownOf(deps, question, judging, [...unique]);
  for (const [position, row] of rows.entries()) {
    const { index, to, variables } = row;
    const phone = phones[position] as TextablePhone;
    const judged = judgeRow(question, known, firstRows, row, phone);
    if (typeof judged !== "string") rejected.push({ index, to, ...judged });
    else if (phone.ok) {
      valid.push({ index, to: phone.e164, variables });
      question.see(phone.e164, judged);
    }
    if (slices.isOver()) await slices.next();
  }
}

function judgeRow(
  { template }: Question,
  known: Known,
  firstRows: Map<string, number>,
  { index, to, variables, isUnknown }: SourceRow,
  phone: TextablePhone,
): string | Refusal {
  if (isUnknown) return unknownContact(to);
  if (!phone.ok) return { reason: "malformed", detail: phone.reason };
  return repeatOf(firstRows, phone.e164, index) ?? judge(template, known, phone.e164, variables);
}

function unknownContact(apiId: string): Refusal {
  return { reason: "unknown_contact", detail: `There is no contact ${apiId.slice(0, 64)}.` };
}

function repeatOf(firstRows: Map<string, number>, phone: string, index: number): Refusal | null {
  const first = firstRows.get(phone);
  if (first !== undefined) {
    return { reason: "duplicate", detail: `${phone} is already in row ${first}.` };
  }
  firstRows.set(phone, index);
  return null;
}

async function knownOf(
  deps: Deps,
  question: Question,
  judging: Judging,
  phones: readonly string[],
): Promise<Known> {
  const { account, customerId, topicId } = question;
  const [optedOut, unsubscribed] = await Promise.all([
    optedOutAmong(deps.db, account, phones, customerId),
    topicId === null ? new Set<string>() : unsubscribedAmong(deps.db, account, topicId, phones),
  ]);
  const landlines = new Set<string>();
  const checked = phones.slice(0, LINE_TYPE_CHECKS_MAX - judging.lineChecks);
  if (question.checkLineTypes && checked.length > 0) {
    judging.lineChecks += checked.length;
    for (const [phone, { lineType }] of await deps.lookup.find(checked)) {
      if (lineType === "landline") landlines.add(phone);
    }
  }
  return { optedOut, unsubscribed, landlines };
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
  if (known.unsubscribed.has(phone)) {
    return { reason: "topic_unsubscribed", detail: `${phone} is not subscribed to the topic.` };
  }
  if (known.landlines.has(phone)) {
    return { reason: "landline", detail: `${phone} is a landline, which gets no texts.` };
  }
  const merged = mergeTemplate(template, variables);
  if (!merged.ok) {
    const detail = `The variable ${merged.missing} has no value, and the body gives no fallback.`;
    return { reason: "missing_variable", detail };
  }
  if (isBlank(merged.text)) {
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
