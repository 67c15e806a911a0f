import { signStandardAsync, signSvcAsync } from "../contract/signature.ts";
import { nowSeconds } from "../core/ambient.ts";
import type { RawBody } from "./verify.ts";

export interface SignOptions {
  /** Event id. Default: the `id` of a JSON body. */
  readonly id?: string | undefined;
  /** Default: now. */
  readonly timestampSeconds?: number | undefined;
}

/**
 * Headers of the service for this body: for tests of a receiver, and for forwarding. Includes the
 * three Standard Webhooks headers when the secret is one of ours.
 */
export async function sign(
  rawBody: RawBody,
  secret: string,
  options: SignOptions = {},
): Promise<Record<string, string>> {
  const timestampSeconds = options.timestampSeconds ?? nowSeconds();
  const id = options.id ?? idOf(rawBody);
  const delivery = { secret, body: rawBody, timestampSeconds };
  const signature = await signSvcAsync(delivery);
  return {
    "content-type": "application/json",
    "svc-signature": signature,
    "svc-event-id": id,
    "x-svc-signature": signature,
    "x-svc-event-id": id,
    "x-webhook-signature": signature,
    "x-webhook-event-id": id,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": await signStandardAsync({ ...delivery, id }),
  };
}

function idOf(rawBody: RawBody): string {
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    if (typeof id === "string") return id;
  } catch {
    // A body that is not JSON has no id.
  }
  return "evt_unknown";
}
