import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { signStandard, signSvc } from "@longwave/contract";
import { Webhook } from "standardwebhooks";
import { webhooks } from "../src/index.ts";

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const body = JSON.stringify({
  id: "evt_1",
  object: "event",
  type: "message.received",
  created_at: "2026-11-15T09:30:00.000Z",
  data: { message_id: "msg_1", from: "+15005550000", to: "+15005550100", body: "Grüße 👋" },
});
const timestampSeconds = 1_794_735_000;
const hmac = (key: Uint8Array, data: Uint8Array) => createHmac("sha256", key).update(data).digest();
const svcHeader = signSvc({ secret, body, timestampSeconds }, hmac);

test("signatures of the service verify, from string and from bytes", async () => {
  const headers = { "Svc-Signature": svcHeader };
  for (const given of [body, Buffer.from(body)]) {
    const event = await webhooks.verify(given, headers, secret, {
      nowSeconds: timestampSeconds + 299,
    });
    assert.ok(event.type === "message.received");
    assert.equal(event.data.body, "Grüße 👋");
  }
});

test("headers are accepted in every common shape", async () => {
  const shapes = [
    new Headers({ "svc-signature": svcHeader }),
    { "svc-signature": [svcHeader] },
    { "x-svc-signature": svcHeader },
    { "x-webhook-signature": svcHeader },
  ];
  for (const headers of shapes) {
    await webhooks.verify(body, headers, secret, { nowSeconds: timestampSeconds });
  }
});

test("the Standard Webhooks headers suffice", async () => {
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ secret, body, timestampSeconds, id: "evt_1" }, hmac),
  };
  await webhooks.verify(body, headers, secret, { nowSeconds: timestampSeconds });
});

test("altered, old and unsigned requests are refused", async () => {
  const good = { body, secret, nowSeconds: timestampSeconds };
  const headers = { "svc-signature": svcHeader };
  const bad = [
    { ...good, headers, body: `${body} ` },
    { ...good, headers, secret: `whsec_${Buffer.alloc(32, 6).toString("base64")}` },
    { ...good, headers, nowSeconds: timestampSeconds + 301 },
    { ...good, headers: {} },
    { ...good, headers: { "svc-signature": "t=1,v1=nonsense" } },
  ];
  for (const { body: given, headers: sent, secret: known, nowSeconds } of bad) {
    const verdict = webhooks.verify(given, sent, known, { nowSeconds });
    await assert.rejects(verdict, webhooks.WebhookVerificationError);
  }
});

test("a receiver's own tests can sign, with every header of the service", async () => {
  const signed = await webhooks.sign(body, secret, { timestampSeconds });
  assert.equal(signed["svc-signature"], svcHeader);
  assert.equal(signed["webhook-id"], "evt_1");
  assert.equal(Object.keys(signed).length, 10);
  await webhooks.verify(body, await webhooks.sign(body, secret), secret);
  const text = Buffer.from(body).toString();
  const event = new Webhook(secret).verify(text, await webhooks.sign(body, secret));
  assert.equal((event as { id: string }).id, "evt_1");
});
