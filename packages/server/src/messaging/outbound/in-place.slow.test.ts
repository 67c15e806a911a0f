import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { assertMessagesWhole } from "../../../testing/message-invariants.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const TEXTS = 200;

/** Columns of a message that change after its insert. */
const CHANGING = [
  "status",
  "price_micros",
  "billing",
  "attempts",
  "awaiting_carrier",
  "submitted_at",
  "next_attempt_at",
  "failure_code",
  "carrier_code",
  "carrier",
  "sent_at",
  "delivered_at",
  "failed_at",
];

test("no index on messages, nor its predicate, covers a column that changes", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const columns = await kit.rows(
    "select column_name as name from information_schema.columns where table_name = 'messages'",
  );
  for (const column of CHANGING)
    assert.ok(
      columns.some((one) => one.name === column),
      column,
    );
  const indexes = await kit.rows(
    "select indexdef as text from pg_indexes where tablename = 'messages'",
  );
  assert.ok(indexes.length >= 5);
  for (const { text } of indexes) {
    for (const column of CHANGING) {
      assert.ok(!new RegExp(`\\b${column}\\b`).test(text), `${text} names ${column}`);
    }
  }
});

/** Update statistics, nearly complete: a connection reports them once it has been idle for a while. */
async function changes(kit: Kit): Promise<{ all: number; inPlace: number }> {
  let counted = { all: 0, inPlace: 0 };
  await until(async () => {
    const [row] = await kit.rows(
      `select sum(n_tup_upd)::int as all, sum(n_tup_hot_upd)::int as in_place
         from pg_stat_user_tables where relname ~ '^messages_'`,
    );
    counted = { all: row.all, inPlace: row.in_place };
    return counted.all >= TEXTS * 0.9;
  });
  return counted;
}

test("messages change in place (HOT): sent and delivered, in the sandbox and live", async (t) => {
  const carrier = createTestCarrier();
  carrier.answers = Array.from({ length: TEXTS }, () => () => accepted());
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 100);
  await giveNumber(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const send = (index: number, from: string, key?: string) =>
    kit.request("POST", "/v1/messages", {
      body: { to: `+1415555${2_000 + index}`, from, body: "Your table is ready." },
      ...(key ? { key } : {}),
    });
  const both = Array.from({ length: TEXTS / 2 }, (_, index) => [
    send(index, "+15005550100"),
    send(index, FROM, kit.liveKey),
  ]).flat();
  for (const answer of await Promise.all(both)) assert.equal(answer.status, 201);
  await kit.advance(5);
  const { all, inPlace } = await changes(kit);
  assert.ok(inPlace / all > 0.9, `${inPlace} of ${all} changes were made in place`);
  await assertMessagesWhole(kit.rows);
});
