import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { type HmacSha256, signStandard, signSvc } from "@longwave/contract";
import { firstOfReply } from "./attempt.ts";
import { createSigner } from "./signature.ts";

test("a reply is kept up to 2,048 bytes, cut between characters", () => {
  assert.equal(firstOfReply(Buffer.from("thanks")), "thanks");
  assert.equal(firstOfReply(Buffer.alloc(0)), "");
  assert.equal(firstOfReply(Buffer.alloc(5_000, "a")), "a".repeat(2_048));
  assert.equal(firstOfReply(Buffer.from(`a${"é".repeat(2_000)}`)), `a${"é".repeat(1_023)}`);
  assert.equal(firstOfReply(Buffer.from(`ab${"😀".repeat(2_000)}`)), `ab${"😀".repeat(511)}`);
});

test("characters that PostgreSQL refuses become U+FFFD", () => {
  assert.equal(firstOfReply(Buffer.from([0x61, 0, 0x62])), "a\ufffdb");
  assert.equal(firstOfReply(Buffer.from([0x61, 0xff, 0x62])), "a\ufffdb");
  // Each byte that is not UTF-8 becomes three, and the limit applies to the stored string.
  assert.equal(Buffer.byteLength(firstOfReply(Buffer.alloc(2_048, 0xff))), 2_046);
  const json = JSON.stringify(firstOfReply(Buffer.from("\ud83d", "utf16le")));
  assert.ok(!/\\ud/i.test(json));
});

test("a signer matches the specification in the contract", () => {
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
