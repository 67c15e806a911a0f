import { type Consent, type ConsentEntry, formatTimestamp } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { type EntryRow, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";

export function presentState(row: StateRow): Consent {
  return {
    object: "consent",
    phone_number: row.phone_number,
    customer_id: customerApiId(row.customer_id),
    status: row.status,
    source: row.source,
    match: row.match,
    note: row.note,
    basis: row.basis,
    expires_at: row.expires_at === null ? null : formatTimestamp(row.expires_at),
    recorded_by: row.recorded_by,
    updated_at: formatTimestamp(row.updated_at),
  };
}

export function presentEntry(row: EntryRow): ConsentEntry {
  return {
    object: "consent_entry",
    id: toApiId("consent_entry", row.id),
    seq: row.seq,
    phone_number: row.phone_number,
    number_seq: row.number_seq,
    customer_id: customerApiId(row.customer_id),
    status: row.status,
    source: row.source,
    match: row.match,
    keyword: row.keyword,
    note: row.note,
    date: row.given_at === null ? null : formatTimestamp(row.given_at),
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    texted_number: row.texted_number,
    carrier: row.carrier,
    basis: row.basis,
    expires_at: row.expires_at === null ? null : formatTimestamp(row.expires_at),
    evidence: row.evidence,
    recorded_by: row.recorded_by,
    created_at: formatTimestamp(row.created_at),
    previous_hash: row.previous_hash?.toString("hex") ?? null,
    hash: row.hash.toString("hex"),
  };
}

function customerApiId(customerId: string): string | null {
  return customerId === WHOLE_ACCOUNT ? null : toApiId("customer", customerId);
}
