import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { createAccount } from "../../account/accounts/index.ts";
import { findOptedOut } from "../../messaging/messages/sql.ts";
import { changeConsents, statesOf } from "./change.ts";
import type { ConsentChange, EntryRow, LedgerOwner, StateRow } from "./consent-row.ts";
import { exportProof } from "./proof.ts";
import { isOptedOut, stateAfter } from "./states.ts";
import { verifyProof } from "./verify-proof.ts";

const RUNS = 25;
const PHONES = ["+14155550101", "+14155550102"];
const CUSTOMERS = [
  null,
  "00000000-0000-7000-8000-00000000000a",
  "00000000-0000-7000-8000-00000000000b",
];

const change: fc.Arbitrary<ConsentChange> = fc.record({
  phoneNumber: fc.constantFrom(...PHONES),
  customerId: fc.constantFrom(...CUSTOMERS),
  status: fc.constantFrom("opted_in" as const, "opted_out" as const, "flagged" as const),
  origin: fc.constantFrom("text" as const, "api" as const, "import" as const),
  source: fc.constantFrom("inbound_text", "web_form", "liste “Été” ✓"),
  note: fc.option(
    fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\u0000", "")),
    { nil: null },
  ),
  givenAtMs: fc.option(fc.integer({ min: 0, max: 1_800_000_000_000 }), { nil: null }),
});
/** Lists of changes; each list is one transaction. */
const lists = fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { maxLength: 8 });

async function freshOwner(kit: Kit): Promise<LedgerOwner> {
  const account = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Fold"));
  return { shard: account.shard, accountId: account.id, mode: "live" };
}

/** States derived from the ledger alone. */
async function fold(kit: Kit, owner: LedgerOwner): Promise<Map<string, StateRow>> {
  const entries: EntryRow[] = await kit.rows(
    "select * from consent_ledger where account_id = $1 and mode = $2 order by seq",
    [owner.accountId, owner.mode],
  );
  assert.deepEqual(
    entries.map((entry) => entry.seq),
    entries.map((_, index) => index + 1),
  );
  const states = new Map<string, StateRow>();
  for (const entry of entries) {
    const key = `${entry.phone_number} ${entry.customer_id}`;
    const after = stateAfter(states.get(key), entry);
    if (after) states.set(key, after);
  }
  return states;
}

/** Whether the statement that guards submits refuses a message. */
async function isRefused(kit: Kit, owner: LedgerOwner, phone: string, customerId: string | null) {
  const queries = [
    {
      id: owner.accountId,
      account_id: owner.accountId,
      mode: owner.mode,
      to_number: phone,
      customer_id: customerId,
    },
  ];
  const rows = await kit.deps.db.query(findOptedOut, [owner.shard, JSON.stringify(queries)]);
  return rows.length > 0;
}

async function checkAll(kit: Kit, owner: LedgerOwner): Promise<void> {
  const folded = await fold(kit, owner);
  const known = new Set([...folded.values()].map((state) => state.phone_number));
  for (const phone of PHONES) {
    const states = await statesOf(kit.deps.db, owner, phone);
    const own = [...folded.values()].filter((state) => state.phone_number === phone);
    assert.deepEqual(states, new Map(own.map((state) => [state.customer_id, state])));
    for (const customer of CUSTOMERS) {
      const inSql = await isRefused(kit, owner, phone, customer);
      assert.equal(inSql, isOptedOut(states, customer), "SQL and the rules disagree");
    }
    if (!known.has(phone)) continue;
    const proof = await exportProof(kit.deps, kit.deps.db, owner, phone);
    assert.deepEqual(verifyProof(proof), { ok: true, isWhole: true, reachesHead: true });
  }
}

test("for any changes, states equal the fold of the ledger, SQL agrees, and proofs verify", async (t) => {
  const kit = await startKit(t);
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const owner = await freshOwner(kit);
      for (const changes of given) {
        await kit.deps.db.tx((tx) => changeConsents(kit.deps, tx, owner, changes));
      }
      await checkAll(kit, owner);
      await checkAll(kit, { ...owner, mode: "test" });
    }),
    { numRuns: RUNS },
  );
});
