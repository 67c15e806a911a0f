import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";

test("an opt-out that only the carrier knows enters the consent ledger, by a refusal and by a receipt", async (t) => {
  const { double, file } = await startDouble(t, "telnyx", [{ name: "own", numbers: [FROM] }], true);
  const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
  const kit = await startKit(t, env);
  double.callbackOrigin = kit.url;
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const send = (to: string) =>
    kit.request("POST", "/v1/messages", { key: kit.liveKey, body: { to, from: FROM, body: "Hi" } });
  const [refused, failed] = ["+14155559014", "+14155559004"];
  double.scripts.set(refused, { answer: "refuse", failure: "opted_out" });
  double.scripts.set(failed, { answer: "accept", failure: "opted_out" });
  for (const phone of [refused, failed]) {
    const sent = await send(phone);
    const id = sent.body.message_id ?? sent.body.id;
    const path = `/v1/consent/${encodeURIComponent(phone)}`;
    await until(async () => (await kit.request("GET", path)).body.status === "opted_out");
    const { body } = await kit.request("GET", path);
    assert.equal(body.source, "carrier");
    const rows = await kit.rows(
      "select source, carrier, texted_number, message_id from consent_ledger where phone_number = $1",
      [phone],
    );
    assert.equal(rows.length, 1);
    assert.deepEqual(
      [rows[0].source, rows[0].carrier, rows[0].texted_number],
      ["carrier", "own", FROM],
    );
    assert.ok(id);
    const again = await send(phone);
    assert.equal(again.body.error.code, "recipient_opted_out");
    assert.equal(double.requestsTo(phone), 1);
  }
});
