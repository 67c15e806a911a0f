import { formatTimestamp } from "@longwave/contract";
import { type Column, columnsOf } from "../db/columns.ts";
import { receiptEventOf } from "./due-receipts.ts";
import type { Draft } from "./stages.ts";

/** A draft on its way to the database, with what is decided for the group. */
export interface Item {
  readonly draft: Draft;
  readonly eventId: string | null;
}

const { plain, text, lines } = columnsOf<Item>();

const orNull = (isSo: boolean): true | null => (isSo ? true : null);
const moment = (ms: number | null): string | null =>
  ms === null ? null : `"${formatTimestamp(ms)}"`;

/** What the function that accepts messages is given of each, a column at a time. */
// biome-ignore format: read as a table
export const ACCEPT_COLUMNS: readonly Column<Item>[] = [
  plain("account_ids",       "uuid",        ({ draft }) => draft.row.account_id),
  plain("ids",               "uuid",        ({ draft }) => draft.row.id),
  plain("statuses",          "text",        ({ draft }) => draft.row.status),
  plain("modes",             "text",        ({ draft }) => draft.row.mode),
  text ("senders",                          ({ draft }) => draft.row.from_number),
  text ("recipients",                       ({ draft }) => draft.row.to_number),
  text ("bodies",                           ({ draft }) => draft.row.body),
  plain("encodings",         "text",        ({ draft }) => draft.row.encoding),
  plain("segment_counts",    "integer",     ({ draft }) => draft.row.segments),
  plain("moments",           "timestamptz", ({ draft }) => moment(draft.row.created_at)),
  plain("simulations",       "boolean",     ({ draft }) => draft.row.simulated),
  plain("attempt_counts",    "integer",     ({ draft }) => draft.row.attempts),
  plain("next_attempts",     "timestamptz", ({ draft }) => moment(draft.row.next_attempt_at)),
  plain("auto_replies",      "boolean",     ({ draft }) => orNull(draft.row.auto_reply)),
  plain("customer_ids",      "uuid",        ({ draft }) => draft.row.customer_id),
  plain("pool_ids",          "uuid",        ({ draft }) => draft.row.pool_id),
  plain("batch_ids",         "uuid",        ({ draft }) => draft.row.batch_id),
  plain("batch_indexes",     "integer",     ({ draft }) => draft.row.batch_index),
  plain("scheduled_ids",     "uuid",        ({ draft }) => draft.row.scheduled_message_id),
  plain("schedule_ids",      "uuid",        ({ draft }) => draft.row.schedule_id),
  plain("run_ids",           "uuid",        ({ draft }) => draft.row.run_id),
  plain("verification_ids",  "uuid",        ({ draft }) => draft.row.verification_id),
  plain("service_texts",     "boolean",     ({ draft }) => orNull(draft.row.from_service)),
  plain("expiries",          "timestamptz", ({ draft }) => moment(draft.row.expires_at)),
  plain("failure_codes",     "text",        ({ draft }) => draft.row.failure_code),
  text ("carrier_codes",                    ({ draft }) => draft.row.carrier_code),
  text ("carriers",                         ({ draft }) => draft.row.carrier),
  plain("hand_overs",        "boolean",     ({ draft }) => orNull(draft.carrier !== null)),
  plain("consent_skips",     "boolean",     ({ draft }) => orNull(draft.skipsConsent)),
  // What counts against balance, allowance and quota.
  plain("billables",         "boolean",     ({ draft }) => orNull(draft.isBillable)),
  plain("prices",            "bigint",      ({ draft }) => (draft.isBillable ? draft.row.price_micros : null)),
  plain("quotas",            "integer",     ({ draft }) => draft.quota),
  // The claim of an Idempotency-Key, its hashes in hexadecimal.
  plain("key_hashes",        "text",        ({ draft }) => draft.claim?.keyHash.toString("hex") ?? null),
  plain("fingerprints",      "text",        ({ draft }) => draft.claim?.fingerprint.toString("hex") ?? null),
  plain("response_statuses", "integer",     ({ draft }) => draft.claim?.answer?.status ?? null),
  text ("responses",                        ({ draft }) => draft.claim?.answer?.body ?? null),
  // The receipt that the simulated network brings later, and what is told of it then.
  plain("receipt_times",     "timestamptz", ({ draft }) => moment(draft.receiptDueAt)),
  lines("receipt_events",                   ({ draft }) => (draft.receiptDueAt === null ? null : receiptEventOf(draft.row))),
  plain("event_ids",         "uuid",        ({ eventId }) => eventId),
  plain("event_types",       "text",        ({ draft }) => draft.event?.type ?? null),
  lines("event_data",                       ({ draft }) => (draft.event ? JSON.stringify(draft.event.data) : null)),
];
