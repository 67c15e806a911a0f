import { CONSENT_PROOF_HASHES_MAX, type ConsentProof, formatTimestamp } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { CHAIN_START, entryJson } from "./chain.ts";
import type { LedgerOwner } from "./consent-row.ts";
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
 * Exports the proof of one number. The hashed JSON is rebuilt from current rows, so a row changed
 * after the fact no longer matches its stored hash.
 */
export async function exportProof(
  deps: Base,
  db: Queryable,
  owner: LedgerOwner,
  phoneNumber: string,
): Promise<ConsentProof> {
  // No lock is needed: entries up to the head never change, and the proof leaves out later ones.
  const head = await chainHead(db, owner);
  const history = await historyOf(db, owner, phoneNumber, head.consent_seq);
  const before = await chainAt(
    db,
    owner,
    history.map((entry) => entry.seq - 1),
  );
  const entries = history.map((entry) => ({
    seq: entry.seq,
    text: entryJson(entry),
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
    mode: owner.mode,
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

async function chainHead(db: Queryable, owner: LedgerOwner): Promise<Head> {
  const [head] = await db.query<Head>(readChainHead, [owner.shard, owner.accountId, owner.mode]);
  return expect(head, "an account has no counters");
}

/** Chain hash of the ledger after each of these entries; seq 0 is the start of the chain. */
async function chainAt(
  db: Queryable,
  owner: LedgerOwner,
  seqs: readonly number[],
): Promise<Map<number, Buffer>> {
  const rows = await db.query<ChainPoint>(readChainAt, [
    owner.shard,
    owner.accountId,
    owner.mode,
    seqs,
  ]);
  const points = new Map(rows.map((row) => [row.seq, row.chain_hash]));
  return points.set(0, CHAIN_START);
}

async function hashesBetween(
  db: Queryable,
  owner: LedgerOwner,
  afterSeq: number,
  upToSeq: number,
): Promise<string[] | null> {
  if (upToSeq - afterSeq > CONSENT_PROOF_HASHES_MAX) return null;
  const values = [owner.shard, owner.accountId, owner.mode, afterSeq, upToSeq];
  const rows = await db.query<{ hash: string }>(readEntryHashes, values);
  return rows.map((row) => row.hash);
}
