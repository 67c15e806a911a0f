import { formatTimestamp } from "@longwave/contract";
import { columnsOf } from "../db/columns.ts";
import { receiptEventOf } from "./due-receipts.ts";
import type { MessageRow } from "./message-row.ts";
import type { Settlement } from "./stages.ts";

/** A settlement on its way to the database, with how it leaves its message. */
export interface SettleItem {
  readonly settlement: Settlement;
  readonly after: MessageRow;
  /** What the hand-over's own row says, if it gets one. */
  readonly outcome: string;
  readonly receiptDueAt: number | null;
  readonly event: { readonly id: string; readonly type: string; readonly data: object } | null;
  /** The answer that is kept with the claim of the request that waits. */
  readonly answer: { readonly status: number; readonly text: string } | null;
}

const { plain, text, lines } = columnsOf<SettleItem>();

const moment = (ms: number | null): string | null =>
  ms === null ? null : `"${formatTimestamp(ms)}"`;

/** What of each is written whatever the carrier said. */
// biome-ignore format: read as a table
export const SETTLED_COLUMNS = [
  plain("account_ids",    "uuid",        ({ after }) => after.account_id),
  plain("ids",            "uuid",        ({ after }) => after.id),
  plain("attempt_counts", "integer",     ({ after }) => after.attempts),
  text ("carriers",                      ({ after }) => after.carrier),
  plain("customer_ids",   "uuid",        ({ after }) => after.customer_id),
  plain("receipt_times",  "timestamptz", ({ receiptDueAt }) => moment(receiptDueAt)),
  lines("receipt_events",                ({ after, receiptDueAt }) => (receiptDueAt === null ? null : receiptEventOf(after))),
  plain("event_ids",      "uuid",        ({ event }) => event?.id ?? null),
  lines("event_data",                    ({ event }) => (event ? JSON.stringify(event.data) : null)),
];

/** What besides, where it is not all accepted, or a request waits. */
// biome-ignore format: read as a table
export const OUTCOME_COLUMNS = [
  plain("attempt_numbers",   "integer",     ({ settlement }) => settlement.attempt),
  plain("outcomes",          "text",        ({ outcome }) => outcome),
  plain("statuses",          "text",        ({ after }) => after.status),
  text ("carrier_codes",                    ({ after }) => after.carrier_code),
  plain("failure_codes",     "text",        ({ after }) => after.failure_code),
  plain("next_attempts",     "timestamptz", ({ after }) => moment(after.next_attempt_at)),
  plain("event_types",       "text",        ({ event }) => event?.type ?? null),
  plain("key_modes",         "text",        ({ settlement }) => settlement.claim?.mode ?? null),
  plain("key_hashes",        "text",        ({ settlement }) => settlement.claim?.keyHash.toString("hex") ?? null),
  plain("response_statuses", "integer",     ({ answer }) => answer?.status ?? null),
  text ("responses",                        ({ answer }) => answer?.text ?? null),
];

/** What a carrier calls a text, or one part of it; `item` is the text's number, from one. */
export interface NamedPart {
  readonly item: number;
  readonly reference: string;
  readonly segment: number;
}

const part = columnsOf<NamedPart>();

export const REFERENCE_COLUMNS = [
  part.plain("reference_items", "integer", ({ item }) => item),
  part.text("reference_names", ({ reference }) => reference),
  part.plain("reference_segments", "integer", ({ segment }) => segment),
];
