import { hash } from "node:crypto";
import { standardWebhooksKey } from "@longwave/contract";
import { expect } from "../platform/assert.ts";

/** Signs what goes to one endpoint. */
export interface Signer {
  /**
   * Every header that a receiver may look for: ours, the two older pairs, and Standard Webhooks.
   * As name, value, name, value.
   */
  headers(id: string, timestampSeconds: number, body: string): string[];
}

/** Makes the signer of a secret. `signSvc` and `signStandard` of the contract say what it computes. */
export function createSigner(secret: string): Signer {
  const bytes = expect(standardWebhooksKey(secret), "A webhook secret is whsec_ and base64.");
  const svc = createHmacSha256(Buffer.from(secret));
  const standard = createHmacSha256(bytes);
  return {
    headers(id, timestampSeconds, body) {
      const signature = `t=${timestampSeconds},v1=${svc(`${timestampSeconds}.${body}`, "hex")}`;
      return [
        "content-type",
        "application/json",
        "svc-signature",
        signature,
        "svc-event-id",
        id,
        "x-svc-signature",
        signature,
        "x-svc-event-id",
        id,
        "x-webhook-signature",
        signature,
        "x-webhook-event-id",
        id,
        "webhook-id",
        id,
        "webhook-timestamp",
        String(timestampSeconds),
        "webhook-signature",
        `v1,${standard(`${id}.${timestampSeconds}.${body}`, "base64")}`,
      ];
    },
  };
}

type Mac = (text: string, encoding: "hex" | "base64") => string;

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * HMAC-SHA-256 with one key, by its definition (RFC 2104): two hashes, each of a block made of the
 * key and what follows it. Node's own makes an object for each and prepares the key in it every
 * time, which takes three times as long.
 */
function createHmacSha256(key: Uint8Array): Mac {
  const short = key.length > BLOCK_BYTES ? Buffer.from(hash("sha256", key), "hex") : key;
  const inner = block(short, 0x36);
  const outer = Buffer.concat([block(short, 0x5c), Buffer.alloc(DIGEST_BYTES)]);
  let input = Buffer.concat([inner, Buffer.alloc(1_024)]);
  return (text, encoding) => {
    // No character takes more than three bytes for each of its units.
    const bytesMax = BLOCK_BYTES + text.length * 3;
    if (input.length < bytesMax) input = Buffer.concat([inner, Buffer.alloc(bytesMax)]);
    const end = BLOCK_BYTES + input.write(text, BLOCK_BYTES);
    outer.write(hash("sha256", input.subarray(0, end), "hex"), BLOCK_BYTES, "hex");
    return hash("sha256", outer, encoding);
  };
}

function block(key: Uint8Array, pad: number): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [at, byte] of key.entries()) bytes[at] = byte ^ pad;
  return bytes;
}
