import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { type HmacSha256, signStandard, signSvc } from "@longwave/contract";
import { createSigner } from "./signer.ts";

test("a signer computes what the contract says", () => {
  const hmac: HmacSha256 = (key, data) => createHmac("sha256", key).update(data).digest();
  const header = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];
  const [id, timestampSeconds] = ["evt_1", 1_800_000_000];
  for (const keyBytes of [24, 32, 64]) {
    const secret = `whsec_${Buffer.alloc(keyBytes, 9).toString("base64")}`;
    const signer = createSigner(secret);
    for (const body of ['{"text":"é 😀"}', "", "x".repeat(3_000), "😀".repeat(3_000), "{}"]) {
      const headers = signer.headers(id, timestampSeconds, body);
      const svc = signSvc({ secret, timestampSeconds, body }, hmac);
      assert.equal(header(headers, "svc-signature"), svc);
      const standard = signStandard({ secret, id, timestampSeconds, body }, hmac);
      assert.equal(header(headers, "webhook-signature"), standard);
    }
  }
});
