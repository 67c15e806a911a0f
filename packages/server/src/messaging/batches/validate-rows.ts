import {
  type Destination,
  isBlank,
  isLonger,
  LINE_TYPE_CHECKS_MAX,
  MESSAGE_BODY_CHARS_MAX,
  mergeTemplate,
  parseDestination,
  type RejectedRow,
  type RejectionReason,
  type Template,
} from "@longwave/contract";
import { createSlices, type Slices } from "../../core/platform/slices.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { optedOutAmong } from "../../people/consent/index.ts";
import { unsubscribedAmong } from "../../people/topics/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import type { SourcePages, SourceRow } from "./sources.ts";

/** A row that gets a message. */
export interface ValidRow {
  readonly index: number;
  readonly to: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** Receives each rendered body in row order; the bodies are not stored. */
export type OnBody = (to: string, body: string) => void;

export interface Validation {
  /** Rows read, valid and rejected. */
  readonly total: number;
  readonly valid: readonly ValidRow[];
  readonly rejected: readonly RejectedRow[];
}

/** Validation in progress, over all pages. */
interface Progress {
  total: number;
  readonly valid: ValidRow[];
  readonly rejected: RejectedRow[];
  /** Index of the valid row of each number. */
  readonly firstRows: Map<string, number>;
  lineChecks: number;
  readonly slices: Slices;
}

/** Refusals by phone, beside opt-outs. */
export type ConsentFilter = (
  phones: readonly string[],
) => Promise<ReadonlyMap<string, "recipient_opted_out" | "opt_in_required">>;

interface Checks {
  readonly account: ModedAccount;
  readonly refusalsOf: ConsentFilter;
  readonly customerId: string | null;
  readonly template: Template;
  readonly checkLineTypes: boolean;
  /** The topic (a UUID) that the batch is sent under, if any. */
  readonly topicId: string | null;
  readonly onBody: OnBody;
}

/** Phones of a page that fail a check, looked up together. */
interface PhoneLookups {
  readonly optedOut: ReadonlySet<string>;
  readonly refusals: Awaited<ReturnType<ConsentFilter>>;
  readonly unsubscribed: ReadonlySet<string>;
  readonly landlines: ReadonlySet<string>;
}

type Refusal = { readonly reason: RejectionReason; readonly detail: string };

/**
 * Splits rows into valid and rejected. The checks are in order of precedence: a rejected row names the first
 * that fails.
 */
export async function validateRows(
  deps: Deps,
  checks: Checks,
  pages: SourcePages,
): Promise<Validation> {
  const progress: Progress = {
    valid: [],
    rejected: [],
    firstRows: new Map(),
    lineChecks: 0,
    total: 0,
    slices: createSlices(deps.clock),
  };
  for await (const rows of pages) {
    progress.total += rows.length;
    await validatePage(deps, checks, progress, rows);
  }
  return progress;
}

async function validatePage(
  deps: Deps,
  checks: Checks,
  progress: Progress,
  rows: readonly SourceRow[],
): Promise<void> {
  const { valid, rejected, firstRows, slices } = progress;
  const phones = rows.map((row) => parseDestination(row.to, deps.destinations));
  const unique = new Set<string>();
  for (const phone of phones) {
    if (phone.ok && !firstRows.has(phone.e164)) unique.add(phone.e164);
  }
  const lookups = await lookUpPhones(deps, checks, progress, [...unique]);
  for (const [position, row] of rows.entries()) {
    const { index, to, variables, metadata = null } = row;
    const phone = phones[position] as Destination;
    const result = validateRow(checks, lookups, firstRows, row, phone);
    if (typeof result !== "string") rejected.push({ index, to, ...result });
    else if (phone.ok) {
      valid.push({ index, to: phone.e164, variables, metadata });
      checks.onBody(phone.e164, result);
    }
    if (slices.isOver()) await slices.next();
  }
}

function validateRow(
  { template }: Checks,
  lookups: PhoneLookups,
  firstRows: Map<string, number>,
  { index, to, variables, isUnknown }: SourceRow,
  phone: Destination,
): string | Refusal {
  if (isUnknown) return unknownContact(to);
  if (!phone.ok) return { reason: "malformed", detail: phone.reason };
  const repeat = repeatOf(firstRows, phone.e164);
  if (repeat !== null) return repeat;
  const body = renderBody(template, lookups, phone.e164, variables);
  // A row that gets no message does not make a later row of its number a duplicate.
  if (typeof body === "string") firstRows.set(phone.e164, index);
  return body;
}

function unknownContact(apiId: string): Refusal {
  return { reason: "unknown_contact", detail: `There is no contact ${apiId.slice(0, 64)}.` };
}

function repeatOf(firstRows: ReadonlyMap<string, number>, phone: string): Refusal | null {
  const first = firstRows.get(phone);
  if (first === undefined) return null;
  return { reason: "duplicate", detail: `${phone} is already in row ${first}.` };
}

async function lookUpPhones(
  deps: Deps,
  checks: Checks,
  progress: Progress,
  phones: readonly string[],
): Promise<PhoneLookups> {
  const { account, customerId, topicId } = checks;
  const [optedOut, refusals, unsubscribed] = await Promise.all([
    optedOutAmong(deps.db, account, phones, customerId),
    checks.refusalsOf(phones),
    topicId === null ? new Set<string>() : unsubscribedAmong(deps.db, account, topicId, phones),
  ]);
  const landlines = new Set<string>();
  const checked = phones.slice(0, LINE_TYPE_CHECKS_MAX - progress.lineChecks);
  if (checks.checkLineTypes && checked.length > 0) {
    progress.lineChecks += checked.length;
    for (const [phone, { lineType }] of await deps.lookup.find(checked)) {
      if (lineType === "landline") landlines.add(phone);
    }
  }
  return { optedOut, refusals, unsubscribed, landlines };
}

/** The rendered body, or the reason for refusal. */
function renderBody(
  template: Template,
  lookups: PhoneLookups,
  phone: string,
  variables: Readonly<Record<string, string>>,
): string | Refusal {
  const refusal = lookups.refusals.get(phone);
  if (lookups.optedOut.has(phone) || refusal === "recipient_opted_out") {
    return { reason: "opted_out", detail: `${phone} has opted out of texts from you.` };
  }
  if (refusal === "opt_in_required") {
    const detail = `${phone} has not opted in, and only people who have are texted.`;
    return { reason: "opt_in_required", detail };
  }
  if (lookups.unsubscribed.has(phone)) {
    return { reason: "topic_unsubscribed", detail: `${phone} is not subscribed to the topic.` };
  }
  if (lookups.landlines.has(phone)) {
    return { reason: "landline", detail: `${phone} is a landline, which gets no texts.` };
  }
  return mergeBody(template, variables);
}

/** The body with a recipient's variables, or the reason for refusal. */
export function mergeBody(
  template: Template,
  variables: Readonly<Record<string, string>>,
): string | Refusal {
  const merged = mergeTemplate(template, variables);
  if (!merged.ok) {
    const detail = `The variable ${merged.missing} has no value, and the body gives no fallback.`;
    return { reason: "missing_variable", detail };
  }
  if (isBlank(merged.text)) {
    return { reason: "missing_variable", detail: "With these variables the text is blank." };
  }
  if (isLonger(merged.text, MESSAGE_BODY_CHARS_MAX)) {
    const detail = `With its variables the text has more than ${MESSAGE_BODY_CHARS_MAX} characters.`;
    return { reason: "too_long", detail };
  }
  return merged.text;
}

export function countReason(rejected: readonly RejectedRow[], reason: RejectionReason): number {
  return rejected.filter((row) => row.reason === reason).length;
}
