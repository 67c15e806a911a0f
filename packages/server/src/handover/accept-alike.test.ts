import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { after, before } from "node:test";
import { type Kit, startKit } from "../../testing/kit.ts";
import { assertMessagesWhole } from "../../testing/whole-messages.ts";
import { acceptAhead, acceptIn, acceptStep } from "./accept.ts";
import { alikeStep } from "./accept-alike.ts";
import { composeSimulated } from "./compose.ts";
import type { Composed, Wanted } from "./stages.ts";

const OPTED_OUT = "+14155552699";
const FROM = "+15005550100";

let kit: Kit;
const takeDowns: (() => Promise<void>)[] = [];

before(async () => {
  kit = await startKit({ after: (one) => void takeDowns.push(one) }, {}, { lanes: [] });
  // Texts are alike whose receipts come together: a slow machine would compose them at moments of their own.
  kit.stopClock();
  const { shard, id } = kit.account;
  await kit.rows(
    `insert into consent_states (shard, account_id, phone_number, status, seq, first_seq, source, updated_at)
     values ($1, $2, $3, 'opted_out', 1, 1, 'api', now())`,
    [shard, id, OPTED_OUT],
  );
  for (const [slot, events] of [
    [1, null],
    [2, ["message.sent"]],
    [3, ["message.failed"]],
  ]) {
    await kit.rows(
      `insert into webhook_endpoints (shard, account_id, id, slot, url, events, active, secret, created_at)
       values ($1, $2, $3, $4, 'https://example.com', $5, true, '', now())`,
      [shard, id, randomUUID(), slot, events],
    );
  }
});
after(async () => {
  await assertMessagesWhole(kit.rows);
  for (const takeDown of takeDowns.reverse()) await takeDown();
});

function textTo(to: string, more: Partial<Wanted> = {}): Composed {
  return composeSimulated(kit.deps, {
    account: kit.account,
    mode: "test",
    from: FROM,
    to,
    body: 'Hi "there" \\ 😀',
    customerId: null,
    poolId: null,
    ...more,
  });
}

const PHONES = ["+14155552671", "+14155552672", "+14155552673"];
const groupOf = (more: Partial<Wanted> = {}) =>
  PHONES.map((phone, index) => {
    const batchIndex = more.batchId === undefined ? {} : { batchIndex: index };
    return textTo(phone, { ...more, ...batchIndex });
  });
const isAlike = (texts: readonly Composed[]) =>
  alikeStep(kit.deps, kit.account.shard, texts, kit.deps.clock.now()) !== null;

/** All that was written of these texts, without what differs between any two. */
async function written(texts: readonly Composed[]): Promise<unknown> {
  const ids = texts.map(({ row }) => row.id);
  const told = texts.map(({ event }) => event?.data["message_id"]);
  const messages = await kit.rows(
    `select to_jsonb(m) - 'id' - 'created_at' - 'sent_at' as row, sent_at = created_at as at_once
       from messages m where id = any ($1) order by id`,
    [ids],
  );
  const statuses = await kit.rows(
    "select to_jsonb(s) - 'id' as row from message_statuses s where id = any ($1) order by id",
    [ids],
  );
  const receipts = await kit.rows(
    `select account_id, cardinality(message_ids) as texts, regexp_count(events, 'msg_') as events
       from due_receipts where message_ids = $1`,
    [ids],
  );
  const events = await kit.rows(
    `select e.type, e.customer_id, e.seq - min(e.seq) over () as place, e.data::jsonb - 'message_id' as data,
            (select count(*)::int from webhook_jobs j where j.shard = e.shard and j.event_id = e.id) as deliveries
       from events e where e.data->>'message_id' = any ($1) order by e.seq`,
    [told],
  );
  assert.equal(messages.length, texts.length);
  return { messages, statuses, receipts, events };
}

const sentInAll = async () =>
  (await kit.rows("select coalesce(sum(sent), 0)::int as sent from delivery_hours"))[0].sent;

for (const [name, more] of [
  ["single texts", {}],
  ["texts of a customer, out of a pool", { customerId: randomUUID(), poolId: randomUUID() }],
  ["texts of a batch", { batchId: randomUUID() }],
] as [string, Partial<Wanted>][]) {
  test(`${name} that are alike are written as they would be by the other function`, async () => {
    const { db } = kit.deps;
    const { shard } = kit.account;
    const alike = groupOf(more);
    const others = groupOf(more);
    assert.ok(isAlike(alike));
    const sentBefore = await sentInAll();
    const accepted = await db.tx((tx) => acceptIn(kit.deps, tx, shard, alike));
    assert.deepEqual(
      accepted,
      alike.map(() => ({ verdict: "accepted", costMicros: 0, billing: "none" })),
    );
    assert.equal(await sentInAll(), sentBefore + alike.length);
    await db.tx((tx) => tx.query(acceptStep(kit.deps, shard, others)));
    assert.deepEqual(await written(alike), await written(others));
  });
}

test("where one has opted out the others are accepted, and no event's number is left out", async () => {
  const texts = [...groupOf(), textTo(OPTED_OUT)];
  assert.ok(isAlike(texts));
  const { shard } = kit.account;
  const accepted = await kit.deps.db.tx((tx) => acceptIn(kit.deps, tx, shard, texts));
  const verdicts = accepted.map((one) => one.verdict);
  assert.deepEqual(verdicts, [...PHONES.map(() => "accepted"), "recipient_opted_out"]);
  const [written] = await kit.deps.messageWriter
    .add(textTo(OPTED_OUT))
    .then((one) => [one.verdict]);
  assert.equal(written, "recipient_opted_out", "by the writer of groups, too");
  const [numbers] = await kit.rows(
    `select event_seq::int as last, (select count(*)::int from events) as events
       from account_counters where account_id = $1`,
    [kit.account.id],
  );
  assert.equal(numbers.last, numbers.events);
});

test("texts made ready ahead are written as others are, and who opts out meanwhile gets none", async () => {
  const { shard, id } = kit.account;
  const late = "+14155552698";
  const accept = (texts: readonly Composed[], ahead: ReturnType<typeof acceptAhead>) =>
    kit.deps.db.tx((tx) => acceptIn(kit.deps, tx, shard, texts, ahead));
  const [ready, others, mixed] = [groupOf(), groupOf(), [...groupOf(), textTo(late)]];
  const ahead = [ready, mixed].map((texts) => acceptAhead(kit.deps, shard, texts));
  assert.ok(ahead.every((step) => step !== null));
  await kit.rows(
    `insert into consent_states (shard, account_id, phone_number, status, seq, first_seq, source, updated_at)
     values ($1, $2, $3, 'opted_out', 2, 2, 'api', now())`,
    [shard, id, late],
  );
  await accept(ready, ahead[0] ?? null);
  await kit.deps.db.tx((tx) => tx.query(acceptStep(kit.deps, shard, others)));
  assert.deepEqual(await written(ready), await written(others));
  const verdicts = (await accept(mixed, ahead[1] ?? null)).map((one) => one.verdict);
  assert.deepEqual(verdicts, [...PHONES.map(() => "accepted"), "recipient_opted_out"]);
});

test("what is not alike, or has anything besides, is left to the other function", () => {
  const claim = { keyHash: Buffer.alloc(32), fingerprint: Buffer.alloc(32), answer: null };
  const [plain] = groupOf() as [Composed];
  const different: Record<string, Composed> = {
    "another number": textTo("+14155552674", { from: "+15005550101" }),
    "another customer": textTo("+14155552674", { customerId: randomUUID() }),
    "another pool": textTo("+14155552674", { poolId: randomUUID() }),
    "another batch": textTo("+14155552674", { batchId: randomUUID() }),
    "a key": { ...plain, claim },
    "a price": { ...plain, isBillable: true },
    "a quota": { ...plain, quota: 1 },
    "no consent to ask for": { ...plain, skipsConsent: true },
    "no receipt": { ...plain, receiptDueAt: null },
    "a later receipt": { ...plain, receiptDueAt: (plain.receiptDueAt ?? 0) + 60_000 },
    "an end": textTo("+14155552674", { expiresAtMs: kit.deps.clock.now() + 60_000 }),
    "a schedule": textTo("+14155552674", { scheduleId: randomUUID() }),
    "a scheduled message": textTo("+14155552674", { scheduledMessageId: randomUUID() }),
    "a run": textTo("+14155552674", { runId: randomUUID() }),
    "a verification": textTo("+14155552674", { verificationId: randomUUID() }),
    "a text that leaves": { ...plain, row: { ...plain.row, simulated: false } },
  };
  for (const [what, text] of Object.entries(different)) {
    assert.equal(isAlike([...groupOf(), text]), false, what);
  }
});
