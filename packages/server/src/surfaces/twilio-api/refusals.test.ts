import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { toTwilioSid } from "@longwave/contract";
import { buy } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";

const FROM = "+14155550100";

/** Refusal message of a call by the client. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail("it was not refused"),
    (one: unknown) => one,
  );
  return (error as Error).message;
}

describe("refusals use Twilio's names", () => {
  const kit = suiteKit({ LONGWAVE_TWILIO_API: "1" });
  const here = () => twilioClient(kit()).client;
  before(async () => {
    await buy(kit(), FROM);
  });

  it("refusals name the parameters that were sent", async () => {
    const { messages, verify } = here();
    const fields = { to: "+15005550000", from: FROM, body: "x" };
    const later = { scheduleType: "fixed" as const, sendAt: new Date(kit().deps.clock.now()) };
    const { services } = verify.v2;
    const service = services(toTwilioSid("verify_service", kit().account.id));
    const start = (more: object) =>
      service.verifications.create({ to: fields.to, channel: "sms", ...more });
    for (const [call, name] of [
      [() => messages.create({ ...fields, to: "+18765550100" }), "To"],
      [() => messages.create({ ...fields, from: "12" }), "From"],
      [() => messages.create({ ...fields, body: "x".repeat(1_601) }), "Body"],
      [() => messages.create({ ...fields, ...later }), "SendAt"],
      [() => messages.create({ ...fields, validityPeriod: 5 }), "ValidityPeriod"],
      [() => start({ to: "+18765550100" }), "To"],
      [() => start({ customFriendlyName: "evil.com" }), "CustomFriendlyName"],
    ] as const) {
      const message = await refusal(call());
      assert.ok(message.startsWith(name), `${name}: ${message}`);
      assert.doesNotMatch(message, /scheduled_at|valid_for|app_name/);
    }
  });

  it("a wrong key is pointed to HTTP Basic authentication", async () => {
    const wrong = twilioClient(kit(), { key: `${kit().testKey}x` }).client;
    const message = await refusal(wrong.messages.list({ limit: 1 }));
    assert.match(message, /HTTP Basic authentication/);
    assert.doesNotMatch(message, /Bearer/);
  });
});
