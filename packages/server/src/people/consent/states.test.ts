import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ConsentChange, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";
import { isOptedOut, judge, stateAfter } from "./states.ts";

const ACME = "00000000-0000-7000-8000-00000000000a";
const BEST = "00000000-0000-7000-8000-00000000000b";

const changes = fc.record({
  customerId: fc.constantFrom(null, ACME, BEST),
  status: fc.constantFrom("opted_in" as const, "opted_out" as const, "flagged" as const),
  origin: fc.constantFrom("text" as const, "api" as const, "import" as const),
  source: fc.constantFrom("inbound_text", "web_form", "import"),
});

/** Applies changes as the ledger does, without a database. */
function run(given: readonly Omit<ConsentChange, "phoneNumber">[]) {
  const states = new Map<string, StateRow>();
  const steps = given.map((one) => {
    const change: ConsentChange = { ...one, phoneNumber: "+14155550123" };
    const before = new Map(states);
    const judgement = judge(states, change);
    if (judgement.records) {
      const seq = lastSeq(states) + 1;
      const customerId = change.customerId ?? WHOLE_ACCOUNT;
      const entry = {
        account_id: ACME,
        seq,
        id: ACME,
        phone_number: change.phoneNumber,
        number_seq: seq,
        customer_id: customerId,
        status: change.status,
        source: change.source,
        match: null,
        keyword: null,
        note: null,
        given_at: null,
        message_id: null,
        texted_number: null,
        carrier: null,
        recorded_by: null,
        created_at: seq,
      };
      const after = stateAfter(states.get(customerId), entry);
      if (after) states.set(customerId, after);
    }
    return { change, judgement, before, after: new Map(states) };
  });
  return steps;
}

function lastSeq(states: ReadonlyMap<string, StateRow>): number {
  return Math.max(0, ...[...states.values()].map((state) => state.seq));
}

test("an import never lets anyone be texted who could not be before", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 30 }), (given) => {
      for (const { change, before, after } of run(given)) {
        if (change.origin !== "import") continue;
        for (const customer of [null, ACME, BEST]) {
          if (isOptedOut(before, customer)) assert.ok(isOptedOut(after, customer));
        }
      }
    }),
  );
});

test("an opt-out always silences whom it names, and an opt-in is changed only where it says so", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 30 }), (given) => {
      for (const { change, judgement, before, after } of run(given)) {
        const silenced = (customer: string | null) => isOptedOut(after, customer);
        if (change.status === "opted_out") {
          assert.ok(silenced(change.customerId));
          if (change.customerId === null) assert.ok([ACME, BEST].every(silenced));
        }
        if (change.status === "opted_in" && !judgement.refused) {
          // An opt-in to the account leaves a customer's own opt-out as it is.
          assert.ok(!silenced(change.customerId));
        }
        const moved = [null, ACME, BEST].some((one) => isOptedOut(before, one) !== silenced(one));
        if (moved) assert.ok(judgement.changed, "a change went unnoticed");
        if (judgement.changed) assert.ok(judgement.records, "a change left no entry");
        if (change.status === "flagged") assert.ok(!moved && !judgement.changed);
      }
    }),
  );
});

test("one customer's opt-out or opt-in touches no other customer", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 30 }), (given) => {
      for (const { change, before, after } of run(given)) {
        if (change.customerId === null) continue;
        const other = change.customerId === ACME ? BEST : ACME;
        assert.equal(isOptedOut(before, other), isOptedOut(after, other));
        assert.equal(isOptedOut(before, null), isOptedOut(after, null));
      }
    }),
  );
});

test("the same by texting twice is one change", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 20 }), changes, (given, last) => {
      const again = { ...last, origin: "text" as const };
      const steps = run([...given, again, again]);
      const second = steps.at(-1);
      assert.equal(second?.judgement.changed, false);
      if (last.status !== "flagged") assert.equal(second?.judgement.records, false);
    }),
  );
});
