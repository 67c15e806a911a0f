import assert from "node:assert/strict";
import test from "node:test";
import { toTwilioSid } from "@longwave/contract";
import { startKit } from "../../../testing/kit.ts";
import { buy } from "../../../testing/live.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
const URL = "https://hooks.example.com/read";

test("a key that may only change numbers cannot read or answer inbound messages through SmsUrl", async (t) => {
  const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" });
  await buy(kit, FROM);
  const [row] = await kit.rows("select id from numbers where phone_number = $1", [FROM]);
  const sid = toTwilioSid("number", row.id);
  const update = async (scopes: readonly string[], smsUrl: string) => {
    const path = `/accounts/${toApiId("account", kit.account.id)}/keys`;
    const { body } = await kit.operator("POST", path, { mode: "test", scopes });
    const { client } = twilioClient(kit, { key: body.key });
    return client.incomingPhoneNumbers(sid).update({ smsUrl });
  };
  const lacking = [[], ["webhooks:write"], ["messages:send"]];
  for (const more of lacking) {
    const refused = update(["numbers:write", ...more], URL);
    await assert.rejects(refused, { status: 403, code: 20403 });
  }
  const all = ["numbers:write", "webhooks:write", "messages:send"];
  assert.equal((await update(all, URL)).smsUrl, URL);
  assert.equal((await update(["numbers:write"], "")).smsUrl, "", "an empty URL stops the calls");
});
