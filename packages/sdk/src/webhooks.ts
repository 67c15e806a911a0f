import { nowSeconds } from "./core/ambient.ts";
import {
  type SignatureVerdict,
  signSvcAsync,
  verifyStandardAsync,
  verifySvcAsync,
} from "./generated/signature.ts";
import type { WebhookEvent } from "./generated/types.ts";

/** The request did not come from the service, or was changed, or is too old. */
export class WebhookVerificationError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "WebhookVerificationError";
  }
}

/** Headers in any of the shapes that servers have them in. */
export type ReceivedHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedWebhook {
  /** The body exactly as it came: text or bytes, not parsed and written again. */
  readonly body: string | Uint8Array;
  readonly headers: ReceivedHeaders;
  /** The endpoint's secret, `whsec_` included. */
  readonly secret: string;
  /** How far the timestamp may be from now. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Another time than now, for tests. */
  readonly nowSeconds?: number;
}

/** Checks a webhook's signature and answers its event; throws WebhookVerificationError. */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const verdict = await judge(received);
  if (!verdict.ok) throw new WebhookVerificationError(verdict.reason);
  const text =
    typeof received.body === "string" ? received.body : new TextDecoder().decode(received.body);
  return JSON.parse(text) as WebhookEvent;
}

function judge(received: ReceivedWebhook): Promise<SignatureVerdict> {
  const { body, secret } = received;
  const common = {
    body,
    secret,
    nowSeconds: received.nowSeconds ?? nowSeconds(),
    ...(received.toleranceSeconds === undefined
      ? {}
      : { toleranceSeconds: received.toleranceSeconds }),
  };
  const own =
    header(received.headers, "svc-signature") ??
    header(received.headers, "x-svc-signature") ??
    header(received.headers, "x-webhook-signature");
  if (own !== null) return verifySvcAsync({ ...common, header: own });
  return verifyStandardAsync({
    ...common,
    id: header(received.headers, "webhook-id") ?? "",
    timestamp: header(received.headers, "webhook-timestamp") ?? "",
    header: header(received.headers, "webhook-signature") ?? "",
  });
}

function header(headers: ReceivedHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : (found?.[0] ?? null);
}

/** Signs a body as the service does: the value of `svc-signature`, for tests of a receiver. */
export function signWebhook(delivery: {
  readonly body: string | Uint8Array;
  readonly secret: string;
  readonly timestampSeconds?: number;
}): Promise<string> {
  return signSvcAsync({
    secret: delivery.secret,
    body: delivery.body,
    timestampSeconds: delivery.timestampSeconds ?? nowSeconds(),
  });
}
