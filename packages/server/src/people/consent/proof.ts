import { CONSENT_PROOF_HASHES_MAX, type ConsentProof, formatTimestamp } from "@longwave/contract";
import type { Base, Owner } from "../base.ts";
import type { Queryable } from "../db/database.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { CHAIN_START, entryText } from "./chain.ts";
import { historyOf } from "./read.ts";
import { readChainAt, readChainHead, readEntryHashes } from "./sql.ts";

interface Head {
  readonly consent_seq: number;
  readonly consent_hash: Buffer;
}

interface ChainPoint {
  readonly seq: number;
  readonly chain_hash: Buffer;
}

/**
 * One number's evidence. The texts are made from the rows as they are now, so a row that was
 * changed after the fact no longer gives the hash it was stored with.
 */
export async function exportProof(
  deps: Base,
  db: Queryable,
  owner: Owner,
  phoneNumber: string,
): Promise<ConsentProof> {
  // Entries up to the head never change, so no lock is needed: later ones are simply not in it.
  const head = await chainHead(db, owner);
  const history = await historyOf(db, owner, phoneNumber, head.consent_seq);
  const before = await chainAt(
    db,
    owner,
    history.map((entry) => entry.seq - 1),
  );
  const entries = history.map((entry) => ({
    seq: entry.seq,
    text: entryText(entry),
    previous_hash: entry.previous_hash?.toString("hex") ?? null,
    hash: entry.hash.toString("hex"),
    chain_before: expect(before.get(entry.seq - 1), "the chain has a gap").toString("hex"),
    chain_after: entry.chain_hash.toString("hex"),
  }));
  const first = expect(entries[0], "a history is empty");
  const start = { seq: first.seq - 1, hash: first.chain_before };
  return {
    object: "consent_proof",
    format: "longwave-consent-proof/1",
    account_id: toApiId("account", owner.accountId),
    phone_number: phoneNumber,
    issued_at: formatTimestamp(deps.clock.now()),
    entries,
    chain: {
      start,
      hashes: await hashesBetween(db, owner, start.seq, head.consent_seq),
      head: { seq: head.consent_seq, hash: head.consent_hash.toString("hex") },
    },
  };
}

async function chainHead(db: Queryable, owner: Owner): Promise<Head> {
  const [head] = await db.query<Head>(readChainHead, [owner.shard, owner.accountId]);
  return expect(head, "an account has no counters");
}

/** The account's chain after each of these entries; 0 is where it starts. */
async function chainAt(
  db: Queryable,
  owner: Owner,
  seqs: readonly number[],
): Promise<Map<number, Buffer>> {
  const rows = await db.query<ChainPoint>(readChainAt, [owner.shard, owner.accountId, seqs]);
  const points = new Map(rows.map((row) => [row.seq, row.chain_hash]));
  return points.set(0, CHAIN_START);
}

async function hashesBetween(
  db: Queryable,
  owner: Owner,
  afterSeq: number,
  upToSeq: number,
): Promise<string[] | null> {
  if (upToSeq - afterSeq > CONSENT_PROOF_HASHES_MAX) return null;
  const values = [owner.shard, owner.accountId, afterSeq, upToSeq];
  const rows = await db.query<{ hash: string }>(readEntryHashes, values);
  return rows.map((row) => row.hash);
}
