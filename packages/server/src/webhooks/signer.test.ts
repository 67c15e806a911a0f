import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { type HmacSha256, signStandard, signSvc } from "@longwave/contract";
import { createSigner } from "./signer.ts";

test("a signer computes what the contract says", () => {
  const hmac: HmacSha256 = (key, data) => createHmac("sha256", key).update(data).digest();
  const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
  const body = '{"text":"é 😀"}';
  const [id, timestampSeconds] = ["evt_1", 1_800_000_000];
  const headers = createSigner(secret).headers(id, timestampSeconds, body);
  assert.equal(headers["svc-signature"], signSvc({ secret, timestampSeconds, body }, hmac));
  const standard = signStandard({ secret, id, timestampSeconds, body }, hmac);
  assert.equal(headers["webhook-signature"], standard);
});
