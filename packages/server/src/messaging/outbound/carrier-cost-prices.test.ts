/** A price of the carrier's cost plus a margin is settled when the receipt names the cost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../testing/kit.ts";
import { assertMoneyAddsUp } from "../../../testing/ledger-invariants.ts";
import { balanceUsd, goLive } from "../../../testing/live.ts";
import { useUpAllowance } from "../../../testing/live-batches.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const DAY_SECONDS = 86_400;
/** 0.005 + 20 % + 0.001: what a message reserves until its cost is known. */
const PLUS_MARGINS = {
  ...{ item: "outbound", basis: "carrier_cost", amount_usd: 0.005 },
  ...{ margin_percent: 20, margin_usd: 0.001 },
};
const EXPECTED = 0.007;

interface Cost {
  readonly currency: string;
  readonly amountMicros: number;
}
const usd = (amountMicros: number): Cost => ({ currency: "USD", amountMicros });

async function stage(t: Lifetime, env: Readonly<Record<string, string>> = {}) {
  const carrier = createTestCarrier();
  const kit = await startKit(t, env, { carriers: carrier });
  await goLive(kit, 10);
  await useUpAllowance(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  let sent = 0;
  return {
    kit,
    setPrice: async (body: object): Promise<string> => {
      const answer = await kit.operator("POST", "/prices", body);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.id;
    },
    /** Sends a message; its receipt comes when the test calls the second result. */
    send: async (body = "Hello") => {
      sent += 1;
      const reference = `ref-${sent}`;
      carrier.answers = [() => ({ kind: "accepted", references: [reference] })];
      const to = `+1415555${2_000 + sent}`;
      const made = await kit.request("POST", "/v1/messages", {
        ...{ key: kit.liveKey, body: { from: FROM, to, body } },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const priceNow = async (): Promise<number> =>
        (await kit.request("GET", `/v1/messages/${made.body.id}`, { key: kit.liveKey })).body.price;
      const bring = async (cost: Cost, raw = "receipt") => {
        await carrier.sink().receipt({
          ...{ carrier: "test-link", reference, state: "delivered", carrierCode: null, raw, cost },
        });
        await until(async () => {
          const [{ due }] = await kit.rows(
            "select count(*)::int as due from carrier_inbox where due_at is not null",
          );
          return due === 0;
        });
      };
      return { price: made.body.price as number, priceNow, bring };
    },
  };
}

const usageUsd = async (kit: Kit): Promise<number> => {
  const { body } = await kit.request("GET", "/v1/usage", { key: kit.liveKey });
  return body.totals.outbound.cost_usd;
};

test("the cost of a receipt settles the price; earlier messages keep theirs", async (t) => {
  const { kit, setPrice, send } = await stage(t);
  const earlier = await send();
  assert.equal(earlier.price, 0.009);
  await setPrice(PLUS_MARGINS);
  const [cheaper, dearer] = [await send(), await send()];
  assert.deepEqual([cheaper.price, dearer.price], [EXPECTED, EXPECTED]);
  assert.equal(await balanceUsd(kit), 9.977);
  await earlier.bring(usd(4_000));
  await cheaper.bring(usd(4_000));
  await cheaper.bring(usd(9_000), "a second receipt");
  await dearer.bring(usd(20_000));
  assert.equal(await earlier.priceNow(), 0.009);
  assert.equal(await cheaper.priceNow(), 0.0058);
  assert.equal(await dearer.priceNow(), 0.025);
  assert.equal(await balanceUsd(kit), 9.9602);
  assert.equal(await usageUsd(kit), 0.0398);
  const { body: limit } = await kit.request("GET", "/v1/spend-limit", { key: kit.liveKey });
  assert.equal(limit.spent_usd, 0.0398);
  await assertMoneyAddsUp(kit.rows);
});

test("segments share the cost, and each has the margin in dollars", async (t) => {
  const { setPrice, send } = await stage(t, { LONGWAVE_PRICE_UNIT: "segment" });
  await setPrice(PLUS_MARGINS);
  const long = await send("x".repeat(200));
  assert.equal(long.price, 2 * EXPECTED);
  await long.bring(usd(8_000));
  assert.equal(await long.priceNow(), 0.0116);
});

test("free messages, other currencies and late receipts change no price", async (t) => {
  const { kit, setPrice, send } = await stage(t);
  const id = await setPrice(PLUS_MARGINS);
  await kit.rows("update account_counters set texts_used = 99");
  const free = await send();
  const [foreign, late, ended] = [await send(), await send(), await send()];
  assert.equal(free.price, 0);
  await free.bring(usd(4_000));
  await foreign.bring({ currency: "EUR", amountMicros: 4_000 });
  assert.deepEqual([await free.priceNow(), await foreign.priceNow()], [0, EXPECTED]);
  // The price in force at acceptance decides, also after its end.
  assert.equal((await kit.operator("DELETE", `/prices/${id}`)).status, 200);
  await ended.bring(usd(4_000));
  assert.equal(await ended.priceNow(), 0.0058);
  await kit.advance(3 * DAY_SECONDS + 60);
  await late.bring(usd(4_000));
  assert.equal(await late.priceNow(), EXPECTED);
  await assertMoneyAddsUp(kit.rows);
});

test("the usage of yesterday follows a cost that comes today", async (t) => {
  const { kit, setPrice, send } = await stage(t);
  await setPrice(PLUS_MARGINS);
  const yesterday = await send();
  await kit.advance(DAY_SECONDS + 7_200);
  assert.equal(await usageUsd(kit), EXPECTED);
  await yesterday.bring(usd(4_000));
  assert.equal(await usageUsd(kit), 0.0058);
});
