import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ConsentChange, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";
import { decideConsent, isOptedOut, stateAfter } from "./states.ts";

const ACME = "00000000-0000-7000-8000-00000000000a";
const BEST = "00000000-0000-7000-8000-00000000000b";

const changes = fc.record({
  customerId: fc.constantFrom(null, ACME, BEST),
  status: fc.constantFrom("opted_in" as const, "opted_out" as const, "flagged" as const),
  origin: fc.constantFrom("text" as const, "api" as const, "import" as const),
  source: fc.constantFrom("inbound_text", "web_form", "import"),
});

/** Applies changes as the ledger does, in memory. */
function run(given: readonly Omit<ConsentChange, "phoneNumber">[]) {
  const states = new Map<string, StateRow>();
  const steps = given.map((one) => {
    const change: ConsentChange = { ...one, phoneNumber: "+14155550123" };
    const before = new Map(states);
    const decision = decideConsent(states, change);
    if (decision.records) {
      const seq = lastSeq(states) + 1;
      const customerId = change.customerId ?? WHOLE_ACCOUNT;
      const entry = {
        account_id: ACME,
        mode: "test" as const,
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
        basis: change.status === "opted_in" ? ("express" as const) : null,
        expires_at: null,
        evidence: null,
        recorded_by: null,
        created_at: seq,
      };
      const after = stateAfter(states.get(customerId), entry);
      if (after) states.set(customerId, after);
    }
    return { change, decision, before, after: new Map(states) };
  });
  return steps;
}

function lastSeq(states: ReadonlyMap<string, StateRow>): number {
  return Math.max(0, ...[...states.values()].map((state) => state.seq));
}

test("an import never reverses an opt-out", () => {
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

test("an opt-out takes effect for everyone it names, and only reported changes affect sends", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 30 }), (given) => {
      for (const { change, decision, before, after } of run(given)) {
        const silenced = (customer: string | null) => isOptedOut(after, customer);
        if (change.status === "opted_out") {
          assert.ok(silenced(change.customerId));
          if (change.customerId === null) assert.ok([ACME, BEST].every(silenced));
        }
        if (change.status === "opted_in" && !decision.refused) {
          // An opt-in to the account does not reverse an opt-out of a customer.
          assert.ok(!silenced(change.customerId));
        }
        const moved = [null, ACME, BEST].some((one) => isOptedOut(before, one) !== silenced(one));
        if (moved) assert.ok(decision.changed, "a change went unnoticed");
        if (decision.changed) assert.ok(decision.records, "a change left no entry");
        if (change.status === "flagged") assert.ok(!moved && !decision.changed);
      }
    }),
  );
});

test("consent of one customer does not affect other customers or the account", () => {
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

test("the same inbound request twice is one change", () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 20 }), changes, (given, last) => {
      const again = { ...last, origin: "text" as const };
      const steps = run([...given, again, again]);
      const second = steps.at(-1);
      assert.equal(second?.decision.changed, false);
      if (last.status !== "flagged") assert.equal(second?.decision.records, false);
    }),
  );
});
