/** Costs that providers name in the answer to a send. */
import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../../testing/provider-double.ts";
import { until } from "../../../../testing/until.ts";

const FROM = "+14155550100";
const TWO_PARTS = "x".repeat(200);

for (const { type, entry, costs } of [
  { type: "46elks", entry: { currency: "SEK" }, costs: [["SEK", 350_000]] },
  { type: "46elks", entry: {}, costs: [] },
  { type: "clicksend", entry: {}, costs: [["USD", 20_000]] },
  { type: "vonage", entry: {}, costs: [["EUR", 11_400]] },
]) {
  const named = Object.keys(entry).length > 0 ? " with its currency" : "";
  test(`${type}${named}: the answer to a send names the cost of the message`, async (t) => {
    const { file } = await startDouble(t, type, [{ name: "own", numbers: [FROM], ...entry }]);
    const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
    const kit = await startKit(t, env);
    await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
    await goLive(kit);
    await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    const body = { from: FROM, to: "+14155552671", body: TWO_PARTS };
    const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const rows = await kit.rows("select currency, amount_micros::int as micros from message_costs");
    assert.deepEqual(
      rows.map(({ currency, micros }) => [currency, micros]),
      costs,
    );
  });
}
