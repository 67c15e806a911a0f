import assert from "node:assert/strict";
import test from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import type { Carrier } from "../../network/carriers/index.ts";
import type { PreparedMessage, Verdict } from "../messages/stages.ts";
import { acceptIn } from "./accept.ts";
import { prepareSimulated } from "./prepare.ts";

const BOTH = [false, true];
const OPTED_OUT = "+14155552699";

/** An item of a sandbox message, with the fields that a case needs. */
function itemTo(kit: Kit, to: string, more: Partial<PreparedMessage> = {}): PreparedMessage {
  const prepared = prepareSimulated(kit.deps, {
    account: kit.account,
    mode: "test",
    from: "+15005550100",
    to,
    body: 'Hi "there" \\ 😀',
    customerId: null,
    poolId: null,
  });
  const carrier = more.carrier?.name ?? null;
  return { ...prepared, ...more, row: { ...prepared.row, carrier, price_micros: 9_000 } };
}

/** Items of one case, each with its expected verdict. */
function groupOf(kit: Kit, keyed: boolean, metered: boolean, isLive: boolean) {
  const group: [PreparedMessage, Verdict][] = [
    [itemTo(kit, "+14155552671"), "accepted"],
    [itemTo(kit, OPTED_OUT), "recipient_opted_out"],
    [itemTo(kit, OPTED_OUT, { skipsConsent: true }), "accepted"],
  ];
  if (keyed) {
    const claim = { keyHash: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2), answer: null };
    group.push([itemTo(kit, "+14155552672", { claim }), "accepted"]);
    group.push([itemTo(kit, "+14155552672", { claim }), "duplicate"]);
  }
  if (metered) {
    group.push([itemTo(kit, "+14155552673", { isBillable: true, quota: 1 }), "accepted"]);
    group.push([itemTo(kit, "+14155552673", { isBillable: true, quota: 1 }), "quota_exceeded"]);
  }
  if (isLive)
    group.push([itemTo(kit, "+14155552674", { carrier: { name: "sim" } as Carrier }), "accepted"]);
  return group;
}

test("a group with any mix of items: each gets its verdict, and accepted items are written completely", async (t) => {
  for (const keyed of BOTH) {
    for (const metered of BOTH) {
      for (const isLive of BOTH) {
        await t.test(`keyed ${keyed}, metered ${metered}, live ${isLive}`, (sub) =>
          checkGroup(sub, keyed, metered, isLive),
        );
      }
    }
  }
});

async function checkGroup(
  t: Parameters<typeof startKit>[0],
  keyed: boolean,
  metered: boolean,
  isLive: boolean,
): Promise<void> {
  const kit = await startKit(t, {}, { lanes: [] });
  const { shard, id } = kit.account;
  await kit.rows(
    `insert into consent_states (shard, account_id, mode, phone_number, status, seq, first_seq, source, updated_at)
     values ($1, $2, 'test', $3, 'opted_out', 1, 1, 'api', now())`,
    [shard, id, OPTED_OUT],
  );
  const group = groupOf(kit, keyed, metered, isLive);
  const items = group.map(([item]) => item);
  const accepted = await kit.deps.db.tx((tx) => acceptIn(kit.deps, tx, shard, items));
  assert.deepEqual(
    accepted.map((one) => one.verdict),
    group.map(([, verdict]) => verdict),
  );

  const kept = items.filter((_, index) => group[index]?.[1] === "accepted");
  const messages = await kit.rows(
    "select id, body, billing, price_micros from messages order by id",
  );
  assert.deepEqual(
    messages,
    kept.map(({ row, isBillable }) => ({
      id: row.id,
      body: row.body,
      billing: isBillable ? "allowance" : "none",
      price_micros: 0,
    })),
  );
  const events = await kit.rows(
    "select seq::int as seq, data->>'message_id' as message from events order by seq",
  );
  assert.deepEqual(
    events,
    kept.map(({ event }, index) => ({ seq: index + 1, message: event?.data["message_id"] })),
  );
  const [counts] = await kit.rows(
    `select event_seq::int as events, texts_used, quota_used,
            (select count(*)::int from idempotency_keys) as keys,
            (select count(*)::int from messages where awaiting_carrier and submitted_at is not null) as awaiting
       from account_counters where account_id = $1`,
    [id],
  );
  assert.deepEqual(counts, {
    events: kept.length,
    texts_used: metered ? 1 : 0,
    quota_used: metered ? 1 : 0,
    keys: keyed ? 1 : 0,
    awaiting: isLive ? 1 : 0,
  });
}
