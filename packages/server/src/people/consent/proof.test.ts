import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsentProof } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { verifyProof } from "./verify-proof.ts";

const openAccount = freshAccounts();

const PHONE = "+14155550123";

function record(kit: Kit, phone_number: string, status: string, source = "form") {
  return kit.request("POST", "/v1/consent", { body: { phone_number, status, source } });
}

async function proofOf(kit: Kit, phone: string): Promise<ConsentProof> {
  const answer = await kit.request("GET", `/v1/consent/${phone}/proof`);
  assert.equal(answer.status, 200);
  return answer.body;
}

/** Writes a ledger in which entries of PHONE alternate with entries of other numbers. */
async function ledger(kit: Kit): Promise<void> {
  await record(kit, "+14155550101", "opted_out");
  await record(kit, PHONE, "opted_in", "kiosk “Café” 🌮");
  await record(kit, "+14155550102", "opted_out");
  await record(kit, PHONE, "opted_out");
  await record(kit, "+14155550103", "opted_in");
}

test("a proof verifies offline, from the first entry to the head", async (t) => {
  const kit = await openAccount(t);
  await ledger(kit);
  const proof = await proofOf(kit, PHONE);
  assert.deepEqual(verifyProof(proof), { ok: true, isWhole: true, reachesHead: true });
  assert.deepEqual(
    proof.entries.map((entry) => entry.seq),
    [2, 4],
  );
  assert.equal(proof.chain.head.seq, 5);
  assert.equal(proof.chain.hashes?.length, 4);
  // The proof reveals no other number.
  assert.ok(!JSON.stringify(proof).includes("+1415555010"));
  const first = await proofOf(kit, "+14155550101");
  assert.equal(first.chain.start.hash, "0".repeat(64));
  assert.equal(first.chain.head.hash, proof.chain.head.hash);
  assert.deepEqual(verifyProof(first), { ok: true, isWhole: true, reachesHead: true });
});

test("verification detects any change of a proof", async (t) => {
  const kit = await openAccount(t);
  await ledger(kit);
  const proof = await proofOf(kit, PHONE);
  const spoiled: [string, (copy: ConsentProof) => void][] = [
    ["a status", (p) => edit(p, 1, (e) => (e.text = e.text.replace("opted_out", "opted_in")))],
    [
      "a time",
      (p) => edit(p, 0, (e) => (e.text = e.text.replace(/"created_at":"2/, '"created_at":"1'))),
    ],
    ["another number", (p) => (p.phone_number = "+14155550199")],
    ["another account", (p) => (p.account_id = `acct_${"0".repeat(26)}`)],
    ["an entry left out at the front", (p) => p.entries.shift()],
    ["an entry left out at the end", (p) => p.entries.pop() && p.chain.hashes?.splice(2, 1)],
    ["entries swapped", (p) => p.entries.reverse()],
    ["a previous hash", (p) => edit(p, 1, (e) => (e.previous_hash = "1".repeat(64)))],
    ["a chain hash", (p) => edit(p, 0, (e) => (e.chain_after = "1".repeat(64)))],
    ["another head", (p) => (p.chain.head.hash = "1".repeat(64))],
    ["a neighbour", (p) => p.chain.hashes?.splice(1, 1, "1".repeat(64))],
    ["a neighbour left out", (p) => p.chain.hashes?.splice(1, 1)],
    ["another start", (p) => (p.chain.start.hash = "1".repeat(64))],
    ["no entries", (p) => p.entries.splice(0)],
  ];
  for (const [name, spoil] of spoiled) {
    const copy = structuredClone(proof);
    spoil(copy);
    assert.equal(verifyProof(copy).ok, false, name);
  }
});

function edit(
  proof: ConsentProof,
  index: number,
  change: (entry: ConsentProof["entries"][number]) => void,
): void {
  change(proof.entries[index] as ConsentProof["entries"][number]);
}

test("triggers refuse changes of the ledger, and a forced change makes the proof fail", async (t) => {
  const kit = await startKit(t);
  await ledger(kit);
  for (const attempt of [
    "update consent_ledger set note = 'x'",
    "delete from consent_ledger",
    "truncate consent_ledger",
  ]) {
    await assert.rejects(kit.rows(attempt), /append-only/);
  }
  await kit.rows("alter table consent_ledger disable trigger consent_ledger_rows_stay");
  await kit.rows("update consent_ledger set status = 'opted_in' where seq = 4");
  assert.equal(verifyProof(await proofOf(kit, PHONE)).ok, false);
  await kit.rows("update consent_ledger set status = 'opted_out' where seq = 4");
  assert.equal(verifyProof(await proofOf(kit, PHONE)).ok, true);
  // Deleting an entry of another number breaks the chain to the head.
  await kit.rows("delete from consent_ledger where seq = 3");
  const broken = await kit.request("GET", `/v1/consent/${PHONE}/proof`);
  assert.ok(broken.status === 500 || !verifyProof(broken.body).ok);
});

test("parallel writers produce one chain, and states equal its fold", async (t) => {
  const kit = await startKit(t);
  const phones = ["+14155550101", "+14155550102", "+14155550103"];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      record(
        kit,
        phones[index % 3] as string,
        index % 2 ? "opted_in" : "opted_out",
        `s${index % 4}`,
      ),
    ),
  );
  assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 200));
  const heads = new Set<string>();
  for (const phone of phones) {
    const proof = await proofOf(kit, phone);
    assert.deepEqual(verifyProof(proof), { ok: true, isWhole: true, reachesHead: true });
    heads.add(proof.chain.head.hash);
  }
  assert.equal(heads.size, 1);
  const parted = await kit.rows(
    `select l.phone_number from (
       select distinct on (mode, phone_number, customer_id) * from consent_ledger
        where status <> 'flagged' order by mode, phone_number, customer_id, seq desc) l
       full join consent_states s using (shard, account_id, mode, phone_number, customer_id)
      where (l.status, l.seq, l.source, l.created_at)
            is distinct from (s.status, s.seq, s.source, s.updated_at)`,
  );
  assert.deepEqual(parted, []);
});
