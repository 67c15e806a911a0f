import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { addCredit, assertRefused, balanceUsd, buy, goLive, stock } from "../../../testing/live.ts";
import { findSender } from "./index.ts";

const PHONE = "+12065551234";
const DAY_SECONDS = 86_400;
const MONTH_SECONDS = 31 * DAY_SECONDS;

async function liveNumber(kit: Kit, creditUsd: number): Promise<void> {
  await goLive(kit, creditUsd);
  await stock(kit, PHONE);
  await buy(kit, PHONE, { key: kit.liveKey });
}

async function months(kit: Kit): Promise<{ period: string; amount_micros: number }[]> {
  return kit.rows(
    "select period, amount_micros from ledger_entries where kind = 'number_month' order by period",
  );
}

const read = async (kit: Kit) => (await kit.request("GET", `/v1/numbers/${PHONE}`)).body;

test("every month is paid once, in clock steps of any size", async (t) => {
  const kit = await startKit(t);
  await liveNumber(kit, 10);
  await buy(kit, "+14155550100");
  await kit.advance(20 * DAY_SECONDS);
  assert.equal((await months(kit)).length, 1);
  await kit.advance(11 * DAY_SECONDS);
  assert.equal((await months(kit)).length, 2);
  await kit.advance(3 * MONTH_SECONDS);
  const paid = await months(kit);
  assert.equal(paid.length, 5, "the purchase and four months; the test number costs nothing");
  assert.equal(new Set(paid.map((entry) => entry.period)).size, 5);
  assert.ok(paid.every((entry) => entry.amount_micros === -950_000));
  assert.equal(await balanceUsd(kit), 10 - 5 * 0.95);
  assert.equal((await read(kit)).status, "active");
});

test("an unpaid number stops sending, and sends again as soon as credit arrives", async (t) => {
  const kit = await startKit(t);
  await liveNumber(kit, 1);
  await kit.advance(MONTH_SECONDS);
  const unpaid = await read(kit);
  assert.equal(unpaid.status, "active");
  assert.match(unpaid.sender.reason, /owed since/);
  assert.equal((await findSender(kit.deps, kit.account, PHONE))?.unpaid, true);
  assert.equal(await balanceUsd(kit), 0.05);
  const send = (more: object = {}) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { from: PHONE, to: "+14155552671", body: "Hi", ...more },
    });
  assertRefused(await send(), 402, "insufficient_credits", "from");
  assert.deepEqual((await send({ dry_run: true })).body.blocked_by, ["insufficient_credits"]);

  await addCredit(kit, 0.5);
  assert.equal((await read(kit)).sender.reason, unpaid.sender.reason, "half is not enough");
  await kit.advance(10 * DAY_SECONDS);
  await addCredit(kit, 1.4);
  assert.equal(await balanceUsd(kit), 1);
  const paid = await read(kit);
  assert.doesNotMatch(paid.sender.reason, /owed/);
  const entries = await months(kit);
  assert.equal(entries.length, 2);
  // The owed month is paid; the next one falls due as it would have anyway.
  await kit.advance(MONTH_SECONDS - 10 * DAY_SECONDS);
  assert.equal((await months(kit)).length, 3);
});

test("the next retry finds credit that arrived another way", async (t) => {
  const kit = await startKit(t);
  await liveNumber(kit, 1);
  await kit.advance(MONTH_SECONDS);
  await kit.rows("update account_counters set balance_micros = 2000000 where account_id = $1", [
    kit.account.id,
  ]);
  await kit.advance(7 * 3_600);
  assert.equal((await months(kit)).length, 2);
  assert.equal((await findSender(kit.deps, kit.account, PHONE))?.unpaid ?? null, false);
});

test("after 30 unpaid days the number is released, cools down and returns to stock", async (t) => {
  const kit = await startKit(t);
  await liveNumber(kit, 1);
  const pool = await kit.request("POST", "/v1/pools", {
    body: { name: "P", numbers: [PHONE] },
    key: kit.liveKey,
  });
  // Counted from the end of the paid month, which may have 28 days.
  const [{ paid_until }] = await kit.rows("select paid_until from numbers");
  await kit.advance((paid_until - kit.deps.clock.now()) / 1_000 + 28 * DAY_SECONDS);
  assert.equal((await read(kit)).status, "active");
  await kit.advance(3 * DAY_SECONDS);
  const released = await read(kit);
  assert.equal(released.status, "released");
  assert.deepEqual((await kit.request("GET", `/v1/pools/${pool.body.id}`)).body.numbers, []);
  assert.equal((await kit.rows("select 1 from events where type = 'number.released'")).length, 1);
  const audit = await kit.rows(
    "select actor_type, changes from audit_log where action = 'number.released'",
  );
  assert.deepEqual(audit, [
    {
      actor_type: "system",
      changes: { mode: { from: null, to: "live" }, reason: { from: null, to: "unpaid" } },
    },
  ]);
  assert.equal(await balanceUsd(kit), 0.05);
  assert.equal((await kit.operator("GET", "/inventory?status=resting")).body.data.length, 1);
  await kit.advance(2 * MONTH_SECONDS);
  assert.equal((await kit.operator("GET", "/inventory?status=available")).body.data.length, 1);
  assert.equal((await months(kit)).length, 1, "nothing is charged after the release");
});

test("the oldest debts are paid first, as far as the credit goes", async (t) => {
  const kit = await startKit(t);
  await goLive(kit, 2.85);
  const phones = ["+12065551231", "+12065551232", "+12065551233"];
  await stock(kit, ...phones);
  for (const phone of phones) {
    await buy(kit, phone, { key: kit.liveKey });
    await kit.advance(DAY_SECONDS);
  }
  await kit.advance(MONTH_SECONDS);
  await addCredit(kit, 2);
  const owed = await kit.rows(
    "select phone_number from numbers where unpaid_since is not null order by phone_number",
  );
  assert.deepEqual(owed, [{ phone_number: "+12065551233" }]);
  assert.equal(await balanceUsd(kit), 0.1);
});
