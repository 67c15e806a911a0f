import { createHash } from "node:crypto";
import type { ConsentProof } from "@longwave/contract";

/**
 * Verifies a proof offline, by the rules of docs/consent-proof.md. Shares no code with the ledger
 * writer, so that any independent implementation of these rules accepts the same proofs.
 */
export type ProofVerdict =
  | {
      readonly ok: true;
      /** The proof contains every entry of this number, from the first. */
      readonly isWhole: boolean;
      /** The proof contains the hashes up to the head of the account's chain. */
      readonly reachesHead: boolean;
    }
  | { readonly ok: false; readonly problem: string };

type Entry = ConsentProof["entries"][number];

const ENTRY_FORMAT = "longwave-consent-entry/1";
const PROOF_FORMAT = "longwave-consent-proof/1";
const CHAIN_START = "0".repeat(64);

export function verifyProof(proof: ConsentProof): ProofVerdict {
  if (proof.format !== PROOF_FORMAT) return refuse(`The format is not ${PROOF_FORMAT}.`);
  if (proof.entries.length === 0) return refuse("The proof has no entries.");
  let before: Entry | null = null;
  for (const entry of proof.entries) {
    const problem = problemOfEntry(proof, entry, before);
    if (problem !== null) return refuse(`Entry ${entry.seq}: ${problem}`);
    before = entry;
  }
  const problem = problemOfChain(proof);
  if (problem !== null) return refuse(problem);
  const first = proof.entries[0] as Entry;
  return {
    ok: true,
    isWhole: first.previous_hash === null,
    reachesHead: proof.chain.hashes !== null,
  };
}

function problemOfEntry(proof: ConsentProof, entry: Entry, before: Entry | null): string | null {
  if (sha256(entry.text) !== entry.hash) return "its text does not give its hash.";
  const says = fieldsOf(entry.text);
  if (says === null || says["format"] !== ENTRY_FORMAT) return `its text is no ${ENTRY_FORMAT}.`;
  const misplaced = problemOfSubject(proof, says);
  if (misplaced !== null) return misplaced;
  if (says["seq"] !== entry.seq) return "its text has another seq.";
  if (says["previous_hash"] !== entry.previous_hash) return "its text has another previous_hash.";
  const numberSeq = says["number_seq"];
  if ((numberSeq === 1) !== (entry.previous_hash === null)) return "it hides an entry before it.";
  if (sha256(entry.chain_before + entry.hash) !== entry.chain_after) {
    return "chain_before and hash do not give chain_after.";
  }
  if (entry.seq === 1 && entry.chain_before !== CHAIN_START) return "the chain starts elsewhere.";
  if (before === null) return null;
  if (entry.previous_hash !== before.hash) return "it does not follow the entry before.";
  if (numberSeq !== Number(fieldsOf(before.text)?.["number_seq"]) + 1)
    return "an entry is missing.";
  return entry.seq > before.seq ? null : "it is out of order.";
}

/** The proof's account, mode and number are those of the entry. */
function problemOfSubject(
  proof: ConsentProof,
  says: Readonly<Record<string, unknown>>,
): string | null {
  if (says["account_id"] !== proof.account_id) return "it is of another account.";
  if (says["mode"] !== proof.mode) return "it is of the other mode.";
  return says["phone_number"] === proof.phone_number ? null : "it is about another number.";
}

/** Recomputes the ledger's chain from start to head and checks that every entry is on it. */
function problemOfChain({ chain, entries }: ConsentProof): string | null {
  const first = entries[0] as Entry;
  const last = entries.at(-1) as Entry;
  if (chain.start.seq !== first.seq - 1 || chain.start.hash !== first.chain_before) {
    return "The chain does not start at the first entry.";
  }
  if (chain.head.seq < last.seq) return "The chain ends before the last entry.";
  if (chain.hashes === null) return null;
  if (chain.hashes.length !== chain.head.seq - chain.start.seq) return "The chain has a gap.";
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  let hash = chain.start.hash;
  for (const [index, entryHash] of chain.hashes.entries()) {
    hash = sha256(hash + entryHash);
    const entry = bySeq.get(chain.start.seq + index + 1);
    if (entry && (entry.hash !== entryHash || entry.chain_after !== hash)) {
      return `Entry ${entry.seq} does not lie on the chain.`;
    }
  }
  return hash === chain.head.hash ? null : "The chain does not lead to its head.";
}

function fieldsOf(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function refuse(problem: string): ProofVerdict {
  return { ok: false, problem };
}
