import { columnsOf } from "../../core/db/driver/statement.ts";
import type { CounterSlice, CountsOwner } from "./fraud/velocity-counters.ts";
import type { VerificationRow } from "./verification-row.ts";

/** State of a phone to store: its send times of the last day and its newest verification. */
export interface PhoneStateRow {
  readonly owner: CountsOwner;
  readonly phone: string;
  readonly verificationId: string | null;
  readonly sentAtMs: readonly number[];
  readonly failures: number;
}

/** Decision of the fraud rules about one code, to insert. */
export interface DecisionInsert {
  readonly owner: CountsOwner;
  readonly id: string;
  readonly phone: string;
  readonly verificationId: string | null;
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly ruleTrace: string;
}

/** Amounts to add to one time slice of a velocity counter. */
export interface CounterSliceRow {
  readonly owner: CountsOwner;
  readonly slice: CounterSlice;
}

/** Counter keys `low` to `high`, both included, summed over slices since `sinceMs`. */
export interface CounterKeyRange {
  readonly owner: CountsOwner;
  readonly low: string;
  readonly high: string;
  readonly sinceMs: number;
}

/** Account, mode and phone of a requested code. */
export interface PhoneKey {
  readonly owner: CountsOwner;
  readonly phone: string;
}

const phoneKey = columnsOf<PhoneKey>();
const verification = columnsOf<VerificationRow>();
const phone = columnsOf<PhoneStateRow>();
const decision = columnsOf<DecisionInsert>();
const slice = columnsOf<CounterSliceRow>();
const range = columnsOf<CounterKeyRange>();

/** Slices begin at whole seconds: exact in a float8 as well as here. */
const secondsOf = (ms: number) => ms / 1_000;

/** One array per column: faster than JSON to build here and to parse in PostgreSQL. */
// biome-ignore format: read as a table
export const PHONE_KEY_COLUMNS = [
  phoneKey.plain("account_id", "uuid", ({ owner }) => owner.accountId),
  phoneKey.plain("mode",       "text", ({ owner }) => owner.mode),
  phoneKey.plain("phone",      "text", (row) => row.phone),
];

// biome-ignore format: read as a table
export const VERIFICATION_INSERT_COLUMNS = [
  verification.plain("account_id",  "uuid",    (row) => row.account_id),
  verification.plain("id",          "uuid",    (row) => row.id),
  verification.plain("mode",        "text",    (row) => row.mode),
  verification.plain("phone",       "text",    (row) => row.phone),
  verification.text ("app_name",               (row) => row.app_name),
  verification.plain("customer_id", "uuid",    (row) => row.customer_id),
  verification.plain("from_number", "text",    (row) => row.from_number),
  verification.plain("sends",       "integer", (row) => row.sends),
  verification.plain("simulated",   "boolean", (row) => row.simulated),
  verification.plain("decision_id", "uuid",    (row) => row.decision_id),
  verification.text ("metadata",               ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata))),
];

// biome-ignore format: read as a table
export const PHONE_STATE_COLUMNS = [
  phone.plain("account_id",      "uuid",    ({ owner }) => owner.accountId),
  phone.plain("mode",            "text",    ({ owner }) => owner.mode),
  phone.plain("phone",           "text",    (row) => row.phone),
  phone.plain("verification_id", "uuid",    ({ verificationId }) => verificationId),
  phone.text ("sent_at_ms",                 ({ sentAtMs }) => `{${sentAtMs.join(",")}}`),
  phone.plain("failures",        "integer", ({ failures }) => failures),
];

// biome-ignore format: read as a table
export const DECISION_INSERT_COLUMNS = [
  decision.plain("account_id",      "uuid",    ({ owner }) => owner.accountId),
  decision.plain("id",              "uuid",    ({ id }) => id),
  decision.plain("mode",            "text",    ({ owner }) => owner.mode),
  decision.plain("phone",           "text",    (row) => row.phone),
  decision.plain("verification_id", "uuid",    ({ verificationId }) => verificationId),
  decision.plain("allowed",         "boolean", ({ allowed }) => allowed),
  decision.plain("reason",          "text",    ({ reason }) => reason),
  decision.text ("rule_trace",                 ({ ruleTrace }) => ruleTrace),
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
