import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import {
  ACCEPTED,
  type Behaviour,
  DELIVERED,
  type IdSpelling,
  type ReceivedSubmit,
  Smsc,
} from "@longwave/smpp/smsc";
import fc from "fast-check";
import { makeBatch, phones } from "../../testing/batches.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { startKit } from "../../testing/kit.ts";
import { goLive } from "../../testing/live.ts";
import { carriersFile, smppEntry } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";

/** Carriers with different spellings of ids; all count from the same number. */
const CARRIERS: readonly { spelling: IdSpelling; receiptId: string }[] = [
  { spelling: "decimal", receiptId: "as_is" },
  { spelling: "padded", receiptId: "as_is" },
  { spelling: "upper_lower", receiptId: "as_is" },
  { spelling: "hex_dec", receiptId: "hex_dec" },
  { spelling: "dec_hex", receiptId: "dec_hex" },
];
const FIRST_ID = 0xabc_def_000n;
const DONE_MS_MAX = 120_000;

/** Scripted outcome of one message, and the delivery of its receipts. */
interface Outcome {
  readonly stat: "DELIVRD" | "UNDELIV" | "EXPIRED";
  readonly times: number;
  readonly delayMs: number;
  readonly order: number;
}

const outcomes = fc.record({
  stat: fc.constantFrom<Outcome["stat"]>("DELIVRD", "DELIVRD", "DELIVRD", "UNDELIV", "EXPIRED"),
  times: fc.integer({ min: 1, max: 5 }),
  delayMs: fc.integer({ min: 1, max: 800 }),
  order: fc.integer({ min: 0, max: 99 }),
});

/**
 * 10 % of receipts come before the response, 5 % after an intermediate one, 1 % are contradicted; ids are in
 * the text or in parameters.
 */
function behaviourOf({ stat, times, delayMs, order }: Outcome): Behaviour {
  return {
    ...ACCEPTED,
    receipt: {
      ...DELIVERED,
      stat,
      error: stat === "DELIVRD" ? "000" : "005",
      times,
      delayMs,
      isBeforeAnswer: order < 10,
      hasIntermediate: order >= 10 && order < 15,
      carriedBy: order % 2 === 0 ? "text" : "text_and_tlvs",
      echoesReference: false,
      ...(order === 99 ? { contradictedBy: stat === "DELIVRD" ? "UNDELIV" : "DELIVRD" } : {}),
    },
  };
}

/** Total number of receipts of one message. */
function receiptsOf(byPhone: ReadonlyMap<string, Outcome>, phone: string): number {
  const { receipt } = behaviourOf(byPhone.get(phone) as Outcome);
  if (!receipt) return 0;
  const others = [receipt.hasIntermediate === true, receipt.contradictedBy !== undefined];
  return receipt.times + others.filter(Boolean).length;
}

const receiptsTaken = ({ journal }: Smsc): number =>
  journal.entries.filter((entry) => entry.kind === "delivery" && entry.isReceipt).length;

const STATUS = { DELIVRD: "delivered", UNDELIV: "failed", EXPIRED: "failed" } as const;

/**
 * Five carriers with the same ids in different spellings send receipts early, late, repeatedly, intermediate
 * and contradictory. Every message ends once, as its own carrier reported.
 */
export async function applySimulatedReceipts(
  t: TestContext,
  { textsEach, seed }: { readonly textsEach: number; readonly seed: number },
): Promise<void> {
  const byPhone = new Map<string, Outcome>();
  const behave = ({ pdu }: ReceivedSubmit) =>
    behaviourOf(byPhone.get(`+${pdu.fields.destination_addr}`) as Outcome);
  const all = fc.sample(outcomes, { seed, numRuns: textsEach * CARRIERS.length });
  const links = await Promise.all(
    CARRIERS.map(async ({ spelling, receiptId }, index) => {
      const smsc = await Smsc.start({
        password: "secret",
        behave,
        idSpelling: spelling,
        firstId: FIRST_ID,
        redeliverMs: 50,
      });
      t.after(() => smsc.stop());
      const from = `+1415555010${index}`;
      const to = phones(textsEach, index * textsEach);
      for (const [n, phone] of to.entries()) {
        byPhone.set(phone, all[index * textsEach + n] as Outcome);
      }
      const entry = { name: spelling, numbers: [from], receipt_id: receiptId, window: 50 };
      return { smsc, from, to, entry: smppEntry(smsc, entry) };
    }),
  );
  const file = await carriersFile(
    t,
    links.map((link) => link.entry),
  );
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  await goLive(kit, 1_000);
  await kit.rows("update accounts set daily_message_quota = 1000000");
  for (const { from, to } of links) {
    await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
    await makeBatch(kit, to, { from }, { key: kit.liveKey });
  }
  await until(
    () => links.every((link) => link.smsc.journal.taken().length === textsEach),
    DONE_MS_MAX,
  );
  const open = async () =>
    (
      await kit.rows("select count(*)::int as n from messages where status in ('queued', 'sent')")
    )[0].n;
  await until(async () => (await open()) === 0, DONE_MS_MAX);
  // Waits for the expected number of receipts: contradictions are sent only a second after the
  // acknowledgement.
  const expected = links.map(({ to }) =>
    to.reduce((sum, phone) => sum + receiptsOf(byPhone, phone), 0),
  );
  await until(
    () => links.every(({ smsc }, index) => receiptsTaken(smsc) === expected[index]),
    DONE_MS_MAX,
  );
  await kit.advance(60);

  const messages = await kit.rows("select to_number, status, carrier from messages");
  assert.equal(messages.length, byPhone.size);
  const wrong = messages.filter(
    (message) => message.status !== STATUS[(byPhone.get(message.to_number) as Outcome).stat],
  );
  assert.deepEqual(wrong, [], "messages whose status differs from their carrier's receipt");
  const events = await kit.rows(
    `select data ->> 'message_id' as id, count(*)::int as n from events
      where type in ('message.delivered', 'message.failed') group by 1 having count(*) <> 1`,
  );
  assert.deepEqual(events, [], "messages with two final events");
  const unmatched = await kit.rows(
    "select carrier, reference from carrier_inbox where kind = 'receipt' and message_id is null",
  );
  assert.deepEqual(unmatched, []);
}
