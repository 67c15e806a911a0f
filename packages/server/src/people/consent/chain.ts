import { createHash } from "node:crypto";
import { formatTimestamp } from "@longwave/contract";
import { toApiId } from "../platform/ids.ts";
import { type EntryFields, WHOLE_ACCOUNT } from "./consent-row.ts";

/**
 * Two chains run through the ledger. An entry's text names the hash of the same phone number's
 * entry before, so one number's history stands by itself. And every entry's hash is added to the
 * account's chain, so that nothing can be taken out of it, not even all there is about a number,
 * without changing its head. An entry's text holds a random id: its hash tells nobody what it says.
 */
export const ENTRY_FORMAT = "longwave-consent-entry/1";

/** The account's chain before its first entry. */
export const CHAIN_START = Buffer.alloc(32);

/** An entry as it is hashed: JSON on one line, keys in this order. */
export function entryText(entry: EntryFields): string {
  return JSON.stringify({
    format: ENTRY_FORMAT,
    account_id: toApiId("account", entry.account_id),
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
    recorded_by: entry.recorded_by,
    created_at: formatTimestamp(entry.created_at),
    previous_hash: entry.previous_hash?.toString("hex") ?? null,
  });
}

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** The account's chain after one more entry: the hash of both hashes, written in hex. */
export function chainAfter(before: Buffer, entryHash: Buffer): Buffer {
  return hashOf(before.toString("hex") + entryHash.toString("hex"));
}
