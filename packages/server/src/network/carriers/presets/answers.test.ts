/** Answers to callbacks, as each provider checks them. */
import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../../testing/provider-double.ts";

const FROM = "+14155550100";
const PHONE = "+14155563001";
const JSON_ANSWER = { content_type: "application/json", body: '{"status":"ok"}' };

for (const [type, harm] of [
  ["twilio", "untaken"],
  ["signalwire", "untaken"],
  ["46elks", "texted"],
] as const) {
  test(`${type}: the preset's answer is right, and JSON is not`, async (t) => {
    const { double, file, urlOf } = await startDouble(t, type, [
      { name: "own", numbers: [FROM] },
      { name: "json", numbers: [FROM], callbacks: { inbound: { answer: JSON_ANSWER } } },
    ]);
    const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
    const kit = await startKit(t, env);
    double.callbackOrigin = kit.url;
    await goLive(kit);
    await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    const bringVia = async (name: string) => {
      double.inboundUrl = urlOf(name, "inbound");
      const inbound = { id: `in-${name}`, from: PHONE, to: FROM, body: "Hi" };
      assert.equal(await double.bringInbound(inbound), 200);
      return double.calls.at(-1)?.isTaken;
    };
    assert.equal(await bringVia("own"), true);
    assert.deepEqual(double.messages, []);
    assert.equal(await bringVia("json"), harm === "texted");
    const texted = double.messages.map(({ from, to, body }) => [from, to, body]);
    assert.deepEqual(texted, harm === "texted" ? [[FROM, PHONE, JSON_ANSWER.body]] : []);
  });
}
