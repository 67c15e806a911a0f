import { columnsOf } from "../db/statement.ts";
import type { CountedSlice, CountsOwner } from "./fraud/counter-book.ts";
import type { VerificationRow } from "./verification-row.ts";

/** When a phone was texted, and its newest verification, as they are written. */
export interface WrittenPhone {
  readonly owner: CountsOwner;
  readonly phone: string;
  readonly verificationId: string | null;
  readonly sentAtMs: readonly number[];
  readonly failures: number;
}

/** What fraud protection decided on one text. */
export interface WrittenDecision {
  readonly owner: CountsOwner;
  readonly id: string;
  readonly phone: string;
  readonly verificationId: string | null;
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly seen: string;
}

/** What is added to the counts of a key. */
export interface WrittenSlice {
  readonly owner: CountsOwner;
  readonly slice: CountedSlice;
}

/** Keys from the first to the last, counted from a moment on. */
export interface CountedRange {
  readonly owner: CountsOwner;
  readonly low: string;
  readonly high: string;
  readonly sinceMs: number;
}

/** Whom a text is asked for. */
export interface AskedPhone {
  readonly owner: CountsOwner;
  readonly phone: string;
}

const asked = columnsOf<AskedPhone>();
const made = columnsOf<VerificationRow>();
const phone = columnsOf<WrittenPhone>();
const decision = columnsOf<WrittenDecision>();
const slice = columnsOf<WrittenSlice>();
const range = columnsOf<CountedRange>();

/** Slices begin at whole seconds, which both sides reckon with exactly. */
const secondsOf = (ms: number) => ms / 1_000;

/** Groups as arrays, a column at a time: quicker to write here, and to read for PostgreSQL, than JSON. */
// biome-ignore format: read as a table
export const ASKED_COLUMNS = [
  asked.plain("account_id", "uuid", ({ owner }) => owner.accountId),
  asked.plain("mode",       "text", ({ owner }) => owner.mode),
  asked.plain("phone",      "text", (row) => row.phone),
];

// biome-ignore format: read as a table
export const MADE_COLUMNS = [
  made.plain("account_id",  "uuid",    (row) => row.account_id),
  made.plain("id",          "uuid",    (row) => row.id),
  made.plain("mode",        "text",    (row) => row.mode),
  made.plain("phone",       "text",    (row) => row.phone),
  made.text ("app_name",               (row) => row.app_name),
  made.plain("customer_id", "uuid",    (row) => row.customer_id),
  made.plain("from_number", "text",    (row) => row.from_number),
  made.plain("sends",       "integer", (row) => row.sends),
  made.plain("simulated",   "boolean", (row) => row.simulated),
  made.plain("decision_id", "uuid",    (row) => row.decision_id),
];

// biome-ignore format: read as a table
export const PHONE_COLUMNS = [
  phone.plain("account_id",      "uuid",    ({ owner }) => owner.accountId),
  phone.plain("mode",            "text",    ({ owner }) => owner.mode),
  phone.plain("phone",           "text",    (row) => row.phone),
  phone.plain("verification_id", "uuid",    ({ verificationId }) => verificationId),
  phone.text ("sent_at_ms",                 ({ sentAtMs }) => `{${sentAtMs.join(",")}}`),
  phone.plain("failures",        "integer", ({ failures }) => failures),
];

// biome-ignore format: read as a table
export const DECIDED_COLUMNS = [
  decision.plain("account_id",      "uuid",    ({ owner }) => owner.accountId),
  decision.plain("id",              "uuid",    ({ id }) => id),
  decision.plain("mode",            "text",    ({ owner }) => owner.mode),
  decision.plain("phone",           "text",    (row) => row.phone),
  decision.plain("verification_id", "uuid",    ({ verificationId }) => verificationId),
  decision.plain("allowed",         "boolean", ({ allowed }) => allowed),
  decision.plain("reason",          "text",    ({ reason }) => reason),
  decision.text ("seen",                       ({ seen }) => seen),
];

// biome-ignore format: read as a table
export const SLICE_COLUMNS = [
  slice.plain("account_id", "uuid",    ({ owner }) => owner.accountId),
  slice.plain("mode",       "text",    ({ owner }) => owner.mode),
  slice.text ("key",                   (row) => row.slice.key),
  slice.plain("bucket",     "float8",  (row) => secondsOf(row.slice.bucketMs)),
  slice.plain("started",    "integer", (row) => row.slice.started),
  slice.plain("sent",       "integer", (row) => row.slice.sent),
  slice.plain("approved",   "integer", (row) => row.slice.approved),
];

// biome-ignore format: read as a table
export const RANGE_COLUMNS = [
  range.plain("account_id", "uuid",   ({ owner }) => owner.accountId),
  range.plain("mode",       "text",   ({ owner }) => owner.mode),
  range.text ("low",                  ({ low }) => low),
  range.text ("high",                 ({ high }) => high),
  range.plain("since",      "float8", ({ sinceMs }) => secondsOf(sinceMs)),
];
