import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { after, before, describe } from "node:test";
import { FREE_TEXTS_PER_MONTH } from "@longwave/contract";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { Carrier, SubmitOutcome } from "../../network/carriers/index.ts";
import { acceptIn } from "../outbound/accept.ts";
import { applyFinalReceipts } from "../outbound/apply-receipts.ts";
import { acceptedRow, prepareSimulated } from "../outbound/prepare.ts";
import { settleIn } from "../outbound/settle.ts";
import type { MessageRow } from "./message-row.ts";
import { applySimulatedReceipts } from "./receipt-functions.ts";
import type { AnswerClaim, PreparedMessage, Settlement } from "./stages.ts";

/**
 * Calls SQL functions with every kind of item in one group: items that qualify move, with all consequences; others
 * stay unchanged. app/functions.test.ts says which file tests which function.
 */
const PRICE_MICROS = 9_000;
const CREDIT_USD = 5;
const OUT_MS = 900_000;
const SIM = { name: "sim" } as Carrier;
const TAKEN: SubmitOutcome = { kind: "accepted", references: [] };

let kit: Kit;
/** The first account has free messages left, the other one pays. */
let free: AccountRow;
let paying: AccountRow;
const takeDowns: (() => Promise<void>)[] = [];

before(async () => {
  kit = await startKit({ after: (one) => void takeDowns.push(one) }, {}, { lanes: [] });
  free = kit.account;
  do {
    paying = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Paying"));
  } while (paying.shard !== free.shard);
  const path = `/accounts/${toApiId("account", paying.id)}/credits`;
  assert.equal((await kit.operator("POST", path, { amount_usd: CREDIT_USD })).status, 201);
  await kit.rows(
    `update account_counters set texts_used = $1, allowance_month = date_trunc('month', $2::timestamptz at time zone 'UTC')
      where account_id = $3`,
    [FREE_TEXTS_PER_MONTH, new Date(kit.deps.clock.now()), paying.id],
  );
});
after(async () => {
  await assertMessagesWhole(kit.rows);
  await assertMoneyAddsUp(kit.rows);
  for (const takeDown of takeDowns.reverse()) await takeDown();
});

type Change = Partial<MessageRow> & {
  readonly account?: AccountRow;
  readonly isBillable?: boolean;
  readonly claim?: PreparedMessage["claim"];
};

/** A live message submitted to its carrier, in its present state. */
async function out(change: Change = {}): Promise<MessageRow> {
  const { account = free, isBillable = true, claim = null, ...row } = change;
  const now = kit.deps.clock.now();
  const composed = prepareSimulated(kit.deps, {
    account,
    mode: "live",
    from: "+14155550100",
    to: "+14155552671",
    body: 'Hi "there" \\ 😀',
    customerId: null,
    poolId: null,
  });
  const text: PreparedMessage = {
    ...composed,
    row: {
      ...composed.row,
      simulated: false,
      status: "queued",
      sent_at: null,
      awaiting_carrier: true,
      submitted_at: now,
      carrier: SIM.name,
      next_attempt_at: now + OUT_MS,
      price_micros: isBillable ? PRICE_MICROS : 0,
      ...row,
    },
    event: null,
    receiptDueAt: null,
    carrier: SIM,
    isBillable,
    quota: isBillable ? 1_000 : null,
    claim,
  };
  const [accepted] = await kit.deps.db.tx((tx) => acceptIn(kit.deps, tx, account.shard, [text]));
  assert.equal(accepted?.verdict, "accepted");
  return acceptedRow(text, accepted);
}

/** A message that its carrier accepted. */
async function sent(change: Change = {}): Promise<MessageRow> {
  const [row] = await settle([settlementOf(await out(change), TAKEN)]);
  assert.equal(row?.status, "sent");
  return row;
}

function settlementOf(
  row: MessageRow,
  outcome: SubmitOutcome,
  more: Partial<Settlement> = {},
): Settlement {
  return { row, attempt: row.attempts, carrier: SIM.name, outcome, claim: null, ...more };
}

function settle(items: readonly Settlement[]) {
  return kit.deps.db.tx((tx) => settleIn(kit.deps, tx, free.shard, items));
}

async function stored(id: string): Promise<MessageRow> {
  const [row] = await kit.rows("select * from messages where id = $1", [id]);
  return row;
}

/** Events of a message, oldest first. */
async function eventsOf(id: string): Promise<string[]> {
  const rows = await kit.rows(
    "select type from events where data->>'message_id' = $1 order by seq",
    [toApiId("message", id)],
  );
  return rows.map((row) => row.type);
}

async function assertNumbered(): Promise<void> {
  const gaps = await kit.rows(
    `select c.account_id from account_counters c
       left join (select account_id, count(*) as events, max(seq) as last, count(distinct seq) as numbers
                    from events group by account_id) as e on e.account_id = c.account_id
      where c.event_seq <> coalesce(e.events, 0) or e.last <> e.events or e.numbers <> e.events`,
  );
  assert.deepEqual(gaps, [], "events are numbered one after the other");
}

describe("settle_accepted_v1", () => {
  test("moves queued messages, with money, references, receipt and event", async () => {
    const customer_id = randomUUID();
    const allowed = await out({ customer_id });
    const paid = await out({ account: paying });
    const unbilled = await out({ account: paying, isBillable: false, auto_reply: true });
    const ofService = await out({
      from_service: true,
      verification_id: randomUUID(),
      isBillable: false,
    });
    const elsewhere = await sent();
    const dueAtMs = kit.deps.clock.now() + 60_000;
    const settled = await settle([
      settlementOf(allowed, { kind: "accepted", references: ["ref-1"], receiptDueAtMs: dueAtMs }),
      settlementOf(paid, { kind: "accepted", references: ["ref-2a", 'ref-2"b'] }),
      settlementOf(unbilled, TAKEN, { carrier: null }),
      settlementOf(ofService, TAKEN),
      settlementOf(elsewhere, TAKEN),
    ]);
    assert.deepEqual(
      settled.map((row) => row?.status ?? null),
      ["sent", "sent", "sent", "sent", null],
    );
    assert.equal((await stored(allowed.id)).billing, "allowance");
    assert.equal((await stored(paid.id)).billing, "settled");
    assert.equal((await stored(unbilled.id)).billing, "none");
    const ledger = await kit.rows(
      "select object_id, amount_micros::int as amount from ledger_entries where kind = 'message'",
    );
    assert.deepEqual(ledger, [{ object_id: paid.id, amount: -PRICE_MICROS }]);
    const references = await kit.rows(
      "select message_id, reference, segment from carrier_references where message_id = any ($1) order by reference",
      [[allowed.id, paid.id]],
    );
    assert.deepEqual(references, [
      { message_id: allowed.id, reference: "ref-1", segment: 1 },
      { message_id: paid.id, reference: 'ref-2"b', segment: 2 },
      { message_id: paid.id, reference: "ref-2a", segment: 1 },
    ]);
    const [due] = await kit.rows("select message_ids, events, due_at from due_receipts");
    assert.deepEqual(due.message_ids, [allowed.id]);
    assert.equal(due.due_at, dueAtMs);
    assert.equal(JSON.parse(due.events).message_id, toApiId("message", allowed.id));
    assert.deepEqual(await eventsOf(allowed.id), ["message.sent"]);
    assert.deepEqual(await eventsOf(ofService.id), [], "nobody hears of the service's own texts");
    assert.deepEqual(await eventsOf(elsewhere.id), ["message.sent"], "and of none twice");
    const [event] = await kit.rows("select customer_id from events where customer_id is not null");
    assert.equal(event.customer_id, customer_id);
    await kit.rows("delete from due_receipts");
    await assertNumbered();
  });
});

function claimOf(byte: number): {
  kept: NonNullable<PreparedMessage["claim"]>;
  waiting: AnswerClaim;
} {
  const keyHash = Buffer.alloc(32, byte);
  return {
    kept: { keyHash, fingerprint: Buffer.alloc(32, 9), answer: null },
    waiting: { mode: "live", keyHash, bodyOf: (row) => `{"status":"${row.status}"}` },
  };
}

async function keyOf({ keyHash }: AnswerClaim): Promise<string | null | undefined> {
  const rows = await kit.rows(
    "select convert_from(response, 'UTF8') as response from idempotency_keys where key_hash = $1",
    [keyHash],
  );
  return rows[0]?.response;
}

describe("settle_messages_v1", () => {
  const refusedForGood: SubmitOutcome = {
    kind: "refused",
    isTemporary: false,
    carrierCode: "0x0B",
    failure: "invalid_number",
  };
  const refusedForNow: SubmitOutcome = { kind: "refused", isTemporary: true, carrierCode: "0x58" };

  test("stores each outcome, and the answer of a waiting request", async () => {
    const [taken, gone] = [claimOf(1), claimOf(2)];
    const accepted = await out({ claim: taken.kept });
    const refused = await out({ account: paying, claim: gone.kept });
    const deferred = await out({ account: paying });
    const unknown = await out();
    const unsent = await out({ account: paying });
    const ofService = await out({
      from_service: true,
      verification_id: randomUUID(),
      isBillable: false,
    });
    const elsewhere = await sent();
    const settled = await settle([
      settlementOf(accepted, { kind: "accepted", references: ["ref-3"] }, { claim: taken.waiting }),
      settlementOf(refused, refusedForGood, { claim: gone.waiting }),
      settlementOf(deferred, refusedForNow),
      settlementOf(unknown, { kind: "unknown" }),
      settlementOf(unsent, { kind: "not_sent" }),
      settlementOf(ofService, refusedForGood),
      settlementOf(elsewhere, refusedForGood),
    ]);
    assert.deepEqual(
      settled.map((row) => row?.status ?? null),
      ["sent", "failed", "queued", "queued", "queued", "failed", null],
    );
    assert.equal(await keyOf(taken.waiting), '{"status":"sent"}');
    assert.equal(await keyOf(gone.waiting), undefined, "a refusal for good frees the key");
    assert.equal((await stored(refused.id)).billing, "released");
    assert.equal((await stored(refused.id)).price_micros, 0);
    assert.equal((await stored(deferred.id)).billing, "reserved");
    assert.equal((await stored(deferred.id)).awaiting_carrier, false);
    assert.equal(
      (await stored(unknown.id)).awaiting_carrier,
      true,
      "its outcome is not known: it stays out",
    );
    const { awaiting_carrier, attempts: tried, billing, next_attempt_at } = await stored(unsent.id);
    assert.deepEqual([awaiting_carrier, tried, billing], [false, 0, "reserved"], "it has not left");
    assert.ok((next_attempt_at ?? 0) - kit.deps.clock.now() < 1_000);
    assert.equal((await stored(elsewhere.id)).status, "sent");
    const attempts = await kit.rows(
      "select message_id, outcome, carrier_code from submit_attempts where message_id = any ($1)",
      [[accepted.id, refused.id, deferred.id, unknown.id, unsent.id]],
    );
    assert.deepEqual(
      new Map(attempts.map((one) => [one.message_id, one.outcome])),
      new Map([
        [refused.id, "refused"],
        [deferred.id, "deferred"],
        [unknown.id, "unknown"],
      ]),
    );
    assert.deepEqual(await eventsOf(refused.id), ["message.failed"]);
    assert.deepEqual(await eventsOf(deferred.id), []);
    assert.deepEqual(await eventsOf(ofService.id), []);

    const late = await settle([settlementOf(unknown, TAKEN, { isLate: true })]);
    assert.equal(late[0]?.status, "sent");
    const [attempt] = await kit.rows("select outcome from submit_attempts where message_id = $1", [
      unknown.id,
    ]);
    assert.equal(attempt.outcome, "accepted");
    await assertNumbered();
  });

  test("an answer to an earlier attempt counts only if the carrier accepted the message", async () => {
    const second = await out({ attempts: 2 });
    const third = await out({ attempts: 3 });
    const settled = await settle([
      settlementOf(second, refusedForGood, { attempt: 1 }),
      settlementOf(third, TAKEN, { attempt: 1 }),
    ]);
    assert.deepEqual(
      settled.map((row) => row?.status ?? null),
      [null, "sent"],
    );
    assert.equal((await stored(second.id)).awaiting_carrier, true);
    assert.equal((await stored(third.id)).attempts, 3);
  });
});

describe("apply_receipts_v1", () => {
  test("moves sent messages, once, and no others", async () => {
    const delivered = await sent({ customer_id: randomUUID() });
    const failed = await sent({ account: paying });
    const queued = await out();
    const ofService = await sent({
      from_service: true,
      verification_id: randomUUID(),
      isBillable: false,
    });
    const receipts = [
      { row: delivered, outcome: "delivered" as const, carrierCode: null },
      { row: failed, outcome: "unreachable" as const, carrierCode: 'sim:"far"' },
      { row: queued, outcome: "delivered" as const, carrierCode: null },
      { row: ofService, outcome: "delivered" as const, carrierCode: null },
    ];
    const apply = () =>
      kit.deps.db.tx((tx) => applyFinalReceipts(kit.deps, tx, free.shard, receipts));
    assert.deepEqual(await apply(), [true, true, false, true]);
    assert.deepEqual(await apply(), [false, false, false, false], "a second time nothing moves");
    assert.equal((await stored(delivered.id)).status, "delivered");
    assert.equal((await stored(failed.id)).carrier_code, 'sim:"far"');
    assert.equal((await stored(failed.id)).billing, "settled", "it was taken, and is paid for");
    assert.equal((await stored(queued.id)).status, "queued");
    assert.deepEqual(await eventsOf(delivered.id), ["message.sent", "message.delivered"]);
    assert.deepEqual(await eventsOf(failed.id), ["message.sent", "message.failed"]);
    assert.deepEqual(await eventsOf(ofService.id), []);
    await assertNumbered();
  });
});

describe("apply_simulated_receipts_v1", () => {
  test("applies and deletes due rows of several accounts", async () => {
    const now = kit.deps.clock.now();
    const before = { kind: "accepted", references: [], receiptDueAtMs: now - 1 } as const;
    const later = { kind: "accepted", references: [], receiptDueAtMs: now + 60_000 } as const;
    const rows = [await out(), await out({ account: paying }), await out(), await out()];
    const [first, second, meanwhile, notYet] = rows as [
      MessageRow,
      MessageRow,
      MessageRow,
      MessageRow,
    ];
    await settle([first, second, meanwhile].map((row) => settlementOf(row, before)));
    await settle([settlementOf(notYet, later)]);
    const received = {
      row: { ...meanwhile, sent_at: now },
      outcome: "delivered" as const,
      carrierCode: null,
    };
    await kit.deps.db.tx((tx) => applyFinalReceipts(kit.deps, tx, free.shard, [received]));

    const due = await kit.rows("select id, due_at from due_receipts");
    assert.equal(due.length, 3, "one for each account and moment");
    const bring = () =>
      kit.deps.db.query<{ message_count: number }>(applySimulatedReceipts.call, [
        free.shard,
        new Date(now + 1_500),
        [free.id, paying.id],
        due.map((one) => one.id),
        due.concat(due).map(() => kit.deps.ids.makeAt(now)),
      ]);
    assert.equal((await bring())[0]?.message_count, 3);
    assert.equal((await bring())[0]?.message_count, 0, "a row is brought once");
    assert.equal((await stored(first.id)).status, "delivered");
    assert.equal((await stored(second.id)).status, "delivered");
    assert.equal((await stored(notYet.id)).status, "sent");
    assert.deepEqual(await eventsOf(first.id), ["message.sent", "message.delivered"]);
    assert.deepEqual(await eventsOf(meanwhile.id), ["message.sent", "message.delivered"]);
    const [event] = await kit.rows(
      "select data from events where type = 'message.delivered' and data->>'message_id' = $1",
      [toApiId("message", second.id)],
    );
    const { sent_at } = await stored(second.id);
    assert.equal(event.data.latency_ms, now + 1_500 - Number(sent_at));
    assert.equal((await kit.rows("select 1 from due_receipts")).length, 1);
    await assertNumbered();
  });
});
