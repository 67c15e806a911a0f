import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";

test("usage sums what the carriers take, once per message", async (t) => {
  const { double, file, urlOf } = await startDouble(t, "telnyx", [
    { name: "main", numbers: [FROM] },
  ]);
  const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
  const kit = await startKit(t, env);
  double.callbackOrigin = kit.url;
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  const send = async (to: string) => {
    const body = { from: FROM, to, body: "Hello" };
    const { status } = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
    assert.ok(status < 300);
    const { ids, reference } = double.messageTo(to) ?? assert.fail("nothing came");
    const named = { id: ids[0] as string, from: FROM, to, reference };
    return async (state: "delivered" | "failed") => {
      const failure = state === "failed" ? ("landline" as const) : null;
      const receipt = { ...named, state, failure };
      assert.equal(await double.bringReceipt(receipt, urlOf("main", "receipts")), 200);
    };
  };
  const costs = async (key: string) =>
    (await kit.request("GET", "/v1/usage", { key })).body.carrier_costs;
  assert.equal(await costs(kit.liveKey), undefined);
  const first = await send("+14155552671");
  await first("delivered");
  await first("delivered");
  await first("failed");
  const second = await send("+14155552672");
  await second("failed");
  await until(async () => (await costs(kit.liveKey))?.[0]?.messages === 2);
  assert.deepEqual(await costs(kit.liveKey), [{ currency: "USD", amount: 0.008, messages: 2 }]);
  assert.equal(await costs(kit.testKey), undefined);
});
