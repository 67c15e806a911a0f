import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ourReferenceOf } from "../src/messaging/outbound/our-reference.ts";
import type { OutboundMessage, SubmitOutcome } from "../src/network/carriers/index.ts";
import { makeBatch } from "./batches.ts";
import { giveNumber } from "./give-number.ts";
import { type Kit, startKit } from "./kit.ts";
import { balanceUsd, goLive } from "./live.ts";
import { accepted, createTestCarrier } from "./test-carrier.ts";

const FROM = "+14155550100";
const CREDIT_USD = 20;
const PRICE_USD = 0.009;
const DECIDED_SECONDS = 16 * 60;

const phoneAt = (index: number) => `+1415${String(2_000_000 + index)}`;

/**
 * A carrier accepts a batch of messages and loses every fifth response; half of those later get a receipt
 * with our reference. No message is sent twice, each ends by what is known of it, and only accepted messages
 * are paid for.
 */
export async function loseAnswers(t: TestContext, texts: number): Promise<void> {
  const carrier = createTestCarrier();
  carrier.window = texts;
  const lost: OutboundMessage[] = [];
  carrier.answers = [
    (text): SubmitOutcome => {
      if (Number(text.to.slice(-7)) % 5 !== 0) return accepted();
      lost.push(text);
      return { kind: "unknown" };
    },
  ];
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, CREDIT_USD);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await useUpAllowance(kit);
  const to = Array.from({ length: texts }, (_, index) => phoneAt(index));
  const batch = await makeBatch(kit, to, { from: FROM }, { key: kit.liveKey });
  await kit.advance(60);
  assert.equal(carrier.submitted.length, texts);
  const confirmed = lost.filter((_, index) => index % 2 === 0);
  await Promise.all(
    confirmed.map((text) =>
      carrier.sink().receipt({
        carrier: "test-link",
        reference: `late-${text.to}`,
        ourReference: ourReferenceOf(text),
        state: "delivered",
        carrierCode: null,
        raw: `delivered ${text.to}`,
      }),
    ),
  );
  await kit.advance(DECIDED_SECONDS);
  await useUpAllowance(kit);
  assert.equal(carrier.submitted.length, texts, "nothing was submitted twice");
  const sums = await kit.rows(
    "select status, failure_code, count(*)::int as count from messages group by 1, 2 order by 1",
  );
  const unknown = lost.length - confirmed.length;
  assert.deepEqual(sums, [
    { status: "delivered", failure_code: null, count: confirmed.length },
    { status: "failed", failure_code: "outcome_unknown", count: unknown },
    { status: "sent", failure_code: null, count: texts - lost.length },
  ]);
  const paid = (texts - unknown) * PRICE_USD;
  assert.equal(await balanceUsd(kit), Number((CREDIT_USD - paid).toFixed(6)));
  const [ledger] = await kit.rows(
    "select sum(amount_micros)::bigint as micros from ledger_entries where kind = 'message'",
  );
  assert.equal(Number(ledger.micros), -Math.round(paid * 1_000_000));
  const results = await kit.request("GET", `/v1/batches/${batch.id}/results`, {
    key: kit.liveKey,
  });
  assert.equal(results.body.attempted, texts);
  assert.equal(results.body.delivered, confirmed.length);
  assert.equal(results.body.failed, unknown);
}

async function useUpAllowance(kit: Kit): Promise<void> {
  await kit.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date",
    [new Date(kit.deps.clock.now())],
  );
}
