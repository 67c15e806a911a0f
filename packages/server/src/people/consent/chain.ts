import { createHash } from "node:crypto";
import { formatTimestamp } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import { type EntryFields, WHOLE_ACCOUNT } from "./consent-row.ts";

/**
 * Two hash chains run through the ledger. Each entry contains the hash of the previous entry of its
 * phone number, so one number's history is verifiable alone. The chain of an account's mode covers every entry:
 * removing any, even a whole number, changes its head. A random id in each entry keeps its hash from
 * revealing its content.
 */
export const ENTRY_FORMAT = "longwave-consent-entry/1";

/** Hash of a chain before its first entry. */
export const CHAIN_START = Buffer.alloc(32);

/** JSON of an entry that is hashed: one line, keys in this order. */
export function entryJson(entry: EntryFields): string {
  return JSON.stringify({
    format: ENTRY_FORMAT,
    account_id: toApiId("account", entry.account_id),
    mode: entry.mode,
    id: toApiId("consent_entry", entry.id),
    seq: entry.seq,
    phone_number: entry.phone_number,
    number_seq: entry.number_seq,
    customer_id:
      entry.customer_id === WHOLE_ACCOUNT ? null : toApiId("customer", entry.customer_id),
    status: entry.status,
    source: entry.source,
    match: entry.match,
    keyword: entry.keyword,
    note: entry.note,
    date: entry.given_at === null ? null : formatTimestamp(entry.given_at),
    message_id: entry.message_id === null ? null : toApiId("message", entry.message_id),
    texted_number: entry.texted_number,
    carrier: entry.carrier,
    basis: entry.basis,
    expires_at: entry.expires_at === null ? null : formatTimestamp(entry.expires_at),
    evidence: entry.evidence,
    recorded_by: entry.recorded_by,
    created_at: formatTimestamp(entry.created_at),
    previous_hash: entry.previous_hash?.toString("hex") ?? null,
  });
}

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** Chain hash after one more entry: SHA-256 of both hashes in hexadecimal. */
export function chainAfter(before: Buffer, entryHash: Buffer): Buffer {
  return hashOf(before.toString("hex") + entryHash.toString("hex"));
}
