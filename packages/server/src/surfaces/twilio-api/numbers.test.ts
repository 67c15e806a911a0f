import assert from "node:assert/strict";
import test from "node:test";
import { toTwilioSid } from "@longwave/contract";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, buy } from "../../../testing/live.ts";
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

test("a key that may only change numbers cannot do so through a service's InboundRequestUrl", async (t) => {
  const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" });
  await buy(kit, FROM);
  const pool = await kit.request("POST", "/v1/pools", { body: { name: "Desk", numbers: [FROM] } });
  const update = async (scopes: readonly string[], inboundRequestUrl: string) => {
    const path = `/accounts/${toApiId("account", kit.account.id)}/keys`;
    const { body } = await kit.operator("POST", path, { mode: "test", scopes });
    const { services } = twilioClient(kit, { key: body.key }).client.messaging.v1;
    return services(pool.body.twilio_service_sid).update({ inboundRequestUrl });
  };
  const [others, all] = [
    ["numbers:read", "numbers:write"],
    ["webhooks:write", "messages:send"],
  ];
  for (const more of [[], all.slice(0, 1), all.slice(1)]) {
    await assert.rejects(update([...others, ...more], URL), { status: 403, code: 20403 });
  }
  const [before] = await kit.rows("select count(*)::int as set from webhook_endpoints");
  assert.equal(before.set, 0);
  assert.equal((await update([...others, ...all], URL)).inboundRequestUrl, URL);
});

test("sms_url is set, shown and removed at /v1/numbers, with the scopes that SmsUrl takes", async (t) => {
  const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" });
  await buy(kit, FROM);
  const patch = async (scopes: readonly string[] | null, body: Record<string, unknown>) => {
    const path = `/accounts/${toApiId("account", kit.account.id)}/keys`;
    const made = await kit.operator("POST", path, { mode: "test", scopes });
    const whole = { customer_id: null, ...body };
    return kit.request("PATCH", `/v1/numbers/${FROM}`, { key: made.body.key, body: whole });
  };
  for (const more of [[], ["webhooks:write"], ["messages:send"]]) {
    const refused = await patch(["numbers:write", ...more], { sms_url: URL });
    assertRefused(refused, 403, "insufficient_scope");
  }
  assertRefused(await patch(null, { sms_url: "ftp://x" }), 400, "invalid_request", "sms_url");
  const put = await patch(null, { sms_method: "PUT" });
  assertRefused(put, 400, "invalid_request", "sms_method");
  const set = await patch(null, { sms_url: URL, sms_method: "GET" });
  assert.deepEqual([set.body.sms_url, set.body.sms_method], [URL, "GET"]);
  const [number] = await twilioClient(kit).client.incomingPhoneNumbers.list();
  assert.deepEqual([number?.smsUrl, number?.smsMethod], [URL, "GET"]);
  const [endpoint] = await kit.rows("select active from webhook_endpoints where slot = 0");
  assert.equal(endpoint?.active, true, "its inbound messages are called back");
  assert.equal((await patch(["numbers:write"], { label: "Desk" })).body.sms_url, URL);
  const removed = await patch(["numbers:write"], { sms_url: null });
  assert.deepEqual([removed.body.sms_url, removed.body.sms_method], [null, "GET"]);
  const off = await startKit(t);
  await buy(off, FROM);
  const body = { customer_id: null, sms_url: URL };
  const refused = await off.request("PATCH", `/v1/numbers/${FROM}`, { body });
  assertRefused(refused, 400, "invalid_request", "sms_url");
  assert.match(refused.body.error.message, /LONGWAVE_TWILIO_API=1/);
});
