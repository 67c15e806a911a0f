import assert from "node:assert/strict";
import test from "node:test";
import { FAILURES, messageMachine } from "@longwave/contract";
import fc from "fast-check";
import type { SubmitOutcome } from "../../network/carriers/index.ts";
import type { MessageRow } from "../messages/message-row.ts";
import { rowAfter } from "./settle.ts";

const NOW = Date.UTC(2026, 10, 15);

const outcomes: fc.Arbitrary<SubmitOutcome> = fc.oneof(
  fc.record({
    kind: fc.constant("accepted" as const),
    references: fc.array(fc.string(), { maxLength: 3 }),
    receiptDueAtMs: fc.option(fc.integer({ min: NOW, max: NOW + 60_000 })),
  }),
  fc.record({
    kind: fc.constant("refused" as const),
    isTemporary: fc.boolean(),
    carrierCode: fc.option(fc.string()),
  }),
  fc.constant<SubmitOutcome>({ kind: "unknown" }),
  fc.constant<SubmitOutcome>({ kind: "not_sent" }),
);
const billings = fc.constantFrom<MessageRow["billing"]>("none", "allowance", "reserved");

function queuedRow(billing: MessageRow["billing"]): MessageRow {
  return {
    shard: 0,
    account_id: "a",
    id: "m",
    direction: "outbound",
    status: "queued",
    mode: "live",
    from_number: "+14155550100",
    to_number: "+14155552671",
    body: "Hi",
    encoding: "gsm7",
    segments: 1,
    price_micros: billing === "reserved" ? 9_000 : 0,
    billing,
    simulated: false,
    auto_reply: false,
    customer_id: null,
    pool_id: null,
    batch_id: null,
    batch_index: null,
    scheduled_message_id: null,
    schedule_id: null,
    run_id: null,
    verification_id: null,
    from_service: false,
    expires_at: null,
    quiet_hours: null,
    metadata: null,
    attempts: 0,
    awaiting_carrier: false,
    submitted_at: null,
    next_attempt_at: NOW,
    failure_code: null,
    carrier_code: null,
    carrier: null,
    created_at: NOW,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
  };
}

test("any history of submits moves a message only along its state table, and money with it", () => {
  fc.assert(
    fc.property(
      billings,
      fc.array(outcomes, { minLength: 1, maxLength: 12 }),
      (billing, history) => {
        let row = queuedRow(billing);
        for (const [index, outcome] of history.entries()) {
          if (row.status !== "queued") break;
          const after = rowAfter(
            { row, attempt: index + 1, carrier: "link", outcome, claim: null },
            NOW,
          );
          const allowed = messageMachine.rows.some(
            (one) => one.from === row.status && one.to === after.status,
          );
          assert.ok(allowed, `${row.status} to ${after.status}`);
          row = after;
          checkWhole(row, billing);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Invariants of a message after any history. */
function checkWhole(row: MessageRow, billing: MessageRow["billing"]): void {
  assert.equal(row.next_attempt_at !== null, row.status === "queued");
  assert.equal(row.failure_code !== null, row.status === "failed");
  assert.equal(row.sent_at !== null, row.status === "sent");
  if (row.failure_code !== null) assert.ok(row.failure_code in FAILURES);
  if (row.status === "failed") {
    assert.equal(row.price_micros, 0);
    assert.equal(row.billing, billing === "none" ? "none" : "released");
  }
  if (row.status === "sent") {
    assert.equal(row.billing, billing === "reserved" ? "settled" : billing);
  }
}

test("a message with temporary failures only is tried six times", () => {
  let row = queuedRow("none");
  let attempts = 0;
  while (row.status === "queued") {
    attempts += 1;
    const outcome: SubmitOutcome = { kind: "refused", isTemporary: true, carrierCode: null };
    row = rowAfter({ row, attempt: attempts, carrier: null, outcome, claim: null }, NOW);
  }
  assert.equal(attempts, 6);
  assert.equal(row.failure_code, "carrier_unavailable");
});

test("a message that never left the process counts no attempt and is submitted again at once", () => {
  let row = queuedRow("reserved");
  for (let time = 0; time < 20; time += 1) {
    const outcome: SubmitOutcome = { kind: "not_sent" };
    row = rowAfter({ row, attempt: row.attempts + 1, carrier: null, outcome, claim: null }, NOW);
    assert.deepEqual([row.status, row.attempts, row.awaiting_carrier], ["queued", 0, false]);
    assert.ok(row.next_attempt_at !== null && row.next_attempt_at - NOW < 1_000);
  }
  const brief = { ...queuedRow("none"), expires_at: NOW + 50 };
  const unsent = { attempt: 1, carrier: null, outcome: { kind: "not_sent" }, claim: null } as const;
  assert.equal(rowAfter({ row: brief, ...unsent }, NOW).next_attempt_at, NOW + 50);
});
