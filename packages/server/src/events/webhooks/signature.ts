import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { standardWebhooksKey } from "@longwave/contract";
import { expect } from "../../core/platform/assert.ts";

/** Signs requests to one endpoint. */
export interface Signer {
  /**
   * Returns every header that a receiver may verify, as name, value, name, value: Longwave's own, the two older pairs,
   * and Standard Webhooks.
   */
  headers(id: string, timestampSeconds: number, body: string): string[];
}

/** Makes the signer of a secret. `signSvc` and `signStandard` of the contract are its specification. */
export function createSigner(secret: string): Signer {
  const bytes = expect(standardWebhooksKey(secret), "A webhook secret is whsec_ and base64.");
  const svc = createSecretKey(Buffer.from(secret));
  const standard = createSecretKey(bytes);
  return {
    headers(id, timestampSeconds, body) {
      const signature = `t=${timestampSeconds},v1=${mac(svc, `${timestampSeconds}.${body}`, "hex")}`;
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
        `v1,${mac(standard, `${id}.${timestampSeconds}.${body}`, "base64")}`,
      ];
    },
  };
}

function mac(key: KeyObject, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}
