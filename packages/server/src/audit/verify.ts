import { createHash } from "node:crypto";
import { type HashedEntry, hashedText } from "./record.ts";

/** An entry as the table keeps it. */
export interface ChainedEntry extends HashedEntry {
  readonly seq: number;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
}

/** The end of the chain as the account's counters keep it: it tells when entries were cut off. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: Buffer;
}

export type ChainVerdict =
  | { readonly isWhole: true; readonly entries: number }
  | { readonly isWhole: false; readonly seq: number; readonly problem: string };

/**
 * Checks one account's audit log by itself, without asking anybody: every entry's hash covers the
 * entry and the hash before it, so whatever is changed, taken out, put in or moved shows. The
 * entries come in the order of `seq`. Where the oldest have been dropped after their time, `from`
 * is the hash that the first one left must follow.
 */
export function verifyChain(
  entries: readonly ChainedEntry[],
  head?: ChainHead,
  from: ChainHead = { seq: 0, hash: Buffer.alloc(0) },
): ChainVerdict {
  let before = from;
  for (const entry of entries) {
    const problem = problemOf(entry, before);
    if (problem !== null) return { isWhole: false, seq: before.seq + 1, problem };
    before = entry;
  }
  if (head && (head.seq !== before.seq || !head.hash.equals(before.hash))) {
    const problem = "The log does not end where the account says it does: entries are missing.";
    return { isWhole: false, seq: before.seq + 1, problem };
  }
  return { isWhole: true, entries: entries.length };
}

function problemOf(entry: ChainedEntry, before: ChainHead): string | null {
  if (entry.seq !== before.seq + 1) return `Entry ${before.seq + 1} is missing.`;
  if (!entry.previous_hash.equals(before.hash)) {
    return "The entry does not follow the one before it.";
  }
  const hash = createHash("sha256").update(before.hash).update(hashedText(entry)).digest();
  return hash.equals(entry.hash) ? null : "The entry is not what was written.";
}
