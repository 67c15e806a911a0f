/** Forms of credentials and calls that programs written for Twilio use. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { toTwilioSid } from "@longwave/contract";
import { buy, goLive, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
const TO = "+15005550000";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("programs written for Twilio", () => {
  const kit = suiteKit({ LONGWAVE_TWILIO_API: "1" });
  const tokenOf = async (key: string): Promise<string> =>
    (await kit().request("GET", "/v1/account", { key })).body.twilio_auth_token;
  let pool = "";
  before(async () => {
    await buy(kit(), FROM);
    await goLive(kit());
    const body = { name: "Shop", numbers: [FROM] };
    const made = await kit().request("POST", "/v1/pools", { body });
    pool = toTwilioSid("messaging_service", fromApiId("pool", made.body.id) ?? "");
  });

  /** Sends a form as an HTTP program does; returns status and body. */
  async function post(user: string, password: string, form: Record<string, string>) {
    const sid = toTwilioSid("account", kit().account.id);
    const answer = await fetch(`${kit().url}/2010-04-01/Accounts/${sid}/Messages.json`, {
      method: "POST",
      headers: {
        ...FORM,
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      },
      body: new URLSearchParams(form).toString(),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  it("sign in with the auth token of a mode, under the account's own sid alone", async () => {
    const token = await tokenOf(kit().testKey);
    const liveToken = await tokenOf(kit().liveKey);
    assert.match(token, /^[0-9a-f]{32}$/);
    assert.notEqual(token, liveToken);
    const text = { To: TO, From: FROM, Body: "by token" };
    const sid = toTwilioSid("account", kit().account.id);
    assert.equal((await post(sid, token, text)).status, 201);
    assert.equal((await post(toApiId("account", kit().account.id), token, text)).status, 201);
    const live = await post(sid, liveToken, text);
    assert.deepEqual([live.status, live.body["code"]], [400, 21606], "the number is the sandbox's");
    const other = await secondAccount(kit());
    for (const [user, password] of [
      [toTwilioSid("account", other.account.id), token],
      [`AC${"0".repeat(32)}`, token],
      [sid, "0".repeat(32)],
      [sid, token.toUpperCase()],
      ["", token],
    ] as const) {
      const refused = await post(user, password, text);
      assert.deepEqual([refused.status, refused.body["code"]], [401, 20003], user);
    }
    const { client } = twilioClient(kit(), { key: token });
    assert.equal((await client.messages.list({ to: TO, limit: 1 }))[0]?.body, "by token");
  });

  it("sign in with the sid of an API key as the user name", async () => {
    const keySid = `SK${"a".repeat(32)}`;
    const text = { To: TO, From: FROM, Body: "by key" };
    assert.equal((await post(keySid, kit().testKey, text)).status, 201);
    const token = await tokenOf(kit().testKey);
    assert.equal((await post(keySid, token, text)).status, 401);
  });

  it("send as Supabase, Logto and n8n do", async () => {
    const sid = toTwilioSid("account", kit().account.id);
    const sent = async (form: Record<string, string>) => post(sid, kit().testKey, form);
    const supabase = await sent({ To: TO, Channel: "sms", From: pool, Body: "code" });
    assert.deepEqual(
      [supabase.status, supabase.body["from"], supabase.body["messaging_service_sid"]],
      [201, FROM, pool],
    );
    const logto = { To: TO, MessagingServiceSid: pool, Body: "x", RiskCheck: "disable" };
    assert.equal((await sent(logto)).status, 201);
    const n8n = { To: TO, From: FROM, Body: "x", StatusCallback: "" };
    assert.equal((await sent(n8n)).status, 201);
    const whatsapp = await sent({ To: TO, Channel: "whatsapp", From: FROM, Body: "x" });
    assert.deepEqual([whatsapp.status, whatsapp.body["code"]], [501, 20501]);
    const nobody = await sent({ To: TO, From: `MG${"0".repeat(32)}`, Body: "x" });
    assert.deepEqual([nobody.status, nobody.body["code"]], [400, 21606]);
  });

  it("look numbers up by version 1", async () => {
    const { phoneNumbers } = twilioClient(kit()).client.lookups.v1;
    const found = await phoneNumbers("(415) 555-0123").fetch({ type: ["carrier"] });
    assert.deepEqual([found.phoneNumber, found.countryCode], ["+14155550123", "US"]);
    assert.ok(found.carrier && "type" in found.carrier);
    const bare = await phoneNumbers("+14155550123").fetch();
    assert.equal(bare.carrier, null);
    await assert.rejects(phoneNumbers("+1").fetch(), { status: 404, code: 20404 });
    await assert.rejects(phoneNumbers("+14155550123").fetch({ type: ["caller-name"] }), {
      status: 501,
    });
  });

  it("set the URL of a messaging service on its numbers", async () => {
    const { client } = twilioClient(kit());
    const service = client.messaging.v1.services(pool);
    assert.deepEqual(
      [(await service.fetch()).friendlyName, (await service.fetch()).inboundRequestUrl],
      ["Shop", null],
    );
    const inboundRequestUrl = "https://chat.example.com/twilio/callback";
    const updated = await service.update({
      ...{ inboundMethod: "POST", inboundRequestUrl },
      useInboundWebhookOnNumber: false,
    });
    assert.equal(updated.inboundRequestUrl, inboundRequestUrl);
    const [number] = await client.incomingPhoneNumbers.list({ phoneNumber: FROM });
    assert.equal(number?.smsUrl, inboundRequestUrl);
    await assert.rejects(service.update({ useInboundWebhookOnNumber: true }), { status: 501 });
    await assert.rejects(service.update({ inboundRequestUrl: "ftp://x" }), { code: 20001 });
    const nobody = client.messaging.v1.services(`MG${"0".repeat(32)}`);
    await assert.rejects(nobody.fetch(), { status: 404, code: 20404 });
  });
});
