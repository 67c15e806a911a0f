import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ACCEPTED, type Behaviour, DELIVERED, type ReceivedSubmit } from "@longwave/smpp/smsc";
import fc from "fast-check";
import { phones } from "../../testing/batches.ts";
import { startSmppStage } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { assertOnce, assertPaid, sendLiveBatch, useUpAllowance } from "./live-batch.ts";

const DECIDED_SECONDS = 16 * 60;
const WINDOW = 250;
const SENT_MS_MAX = 120_000;

/**
 * The SMSC accepts a batch and loses the responses of a seeded fifth. Half of those get a receipt with our
 * user_message_reference, some before the response times out, some after. No message is sent twice, and only
 * messages known to be accepted are paid for.
 */
export async function loseAnswersOverSmpp(
  t: TestContext,
  { texts, seed }: { readonly texts: number; readonly seed: number },
): Promise<void> {
  const to = phones(texts);
  const lost = fc.sample(fc.shuffledSubarray(to, { minLength: texts / 5, maxLength: texts / 5 }), {
    seed,
    numRuns: 1,
  })[0] as string[];
  const confirmed = new Set(lost.slice(0, lost.length / 2));
  const isLost = new Set(lost);
  const behave = ({ pdu }: ReceivedSubmit): Behaviour => {
    const phone = `+${pdu.fields.destination_addr}`;
    if (!isLost.has(phone)) return { ...ACCEPTED, receipt: null };
    const delayMs = Number(phone.slice(-1)) % 2 === 0 ? 100 : 2_500;
    const receipt = confirmed.has(phone) ? { ...DELIVERED, delayMs } : null;
    return { ...ACCEPTED, answer: "none", receipt };
  };
  const stage = await startSmppStage(t, { behave }, { window: WINDOW, answer_seconds: 1 });
  const { kit, smsc } = stage;
  const batch = await sendLiveBatch(stage, to);
  await until(() => smsc.journal.taken().length >= texts, SENT_MS_MAX);
  const delivered = async () =>
    (await kit.rows("select to_number from messages where status = 'delivered'")).map(
      (row) => row.to_number as string,
    );
  await until(async () => (await delivered()).length >= confirmed.size, SENT_MS_MAX);
  assert.deepEqual(new Set(await delivered()), confirmed, "each its own receipt");
  await kit.advance(DECIDED_SECONDS);
  await useUpAllowance(kit);

  assertOnce(stage, WINDOW);
  assert.equal(smsc.journal.submits().length, texts, "nothing was submitted again");
  const unknown = lost.length - confirmed.size;
  const sums = await kit.rows(
    "select status, failure_code, count(*)::int as count from messages group by 1, 2 order by 1",
  );
  assert.deepEqual(sums, [
    { status: "delivered", failure_code: null, count: confirmed.size },
    { status: "failed", failure_code: "outcome_unknown", count: unknown },
    { status: "sent", failure_code: null, count: texts - lost.length },
  ]);
  await assertPaid(kit, texts - unknown);
  const { body } = await kit.request("GET", `/v1/batches/${batch.id}/results`, {
    key: kit.liveKey,
  });
  assert.deepEqual(
    [body.attempted, body.delivered, body.failed],
    [texts, confirmed.size, unknown],
    JSON.stringify(body),
  );
}
