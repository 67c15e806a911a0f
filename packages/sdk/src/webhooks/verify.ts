import {
  type SignatureVerdict,
  verifyStandardAsync,
  verifySvcAsync,
} from "../contract/signature.ts";
import type { WebhookEvent } from "../contract/types.ts";
import { nowSeconds } from "../core/ambient.ts";

/** The request did not come from the service, or was changed, or is too old. */
export class WebhookVerificationError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "WebhookVerificationError";
  }
}

/** The body exactly as it came: text or bytes, not parsed and written again. */
export type RawBody = string | Uint8Array;

/** Headers in any of the shapes that servers have them in. */
export type ReceivedHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the timestamp may be from now. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Another time than now, for tests. */
  readonly nowSeconds?: number;
}

/**
 * Checks a webhook's signature and answers its event; throws WebhookVerificationError. `secret` is
 * the endpoint's, `whsec_` included. An event may come more than once: tell them apart by its id.
 */
export async function verify(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const verdict = await judge(rawBody, headers, secret, options);
  if (!verdict.ok) throw new WebhookVerificationError(verdict.reason);
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  return JSON.parse(text) as WebhookEvent;
}

function judge(
  body: RawBody,
  headers: ReceivedHeaders,
  secret: string,
  options: VerifyOptions,
): Promise<SignatureVerdict> {
  const common = {
    body,
    secret,
    nowSeconds: options.nowSeconds ?? nowSeconds(),
    ...(options.toleranceSeconds === undefined
      ? {}
      : { toleranceSeconds: options.toleranceSeconds }),
  };
  const own =
    header(headers, "svc-signature") ??
    header(headers, "x-svc-signature") ??
    header(headers, "x-webhook-signature");
  if (own !== null) return verifySvcAsync({ ...common, header: own });
  return verifyStandardAsync({
    ...common,
    id: header(headers, "webhook-id") ?? "",
    timestamp: header(headers, "webhook-timestamp") ?? "",
    header: header(headers, "webhook-signature") ?? "",
  });
}

function header(headers: ReceivedHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : (found?.[0] ?? null);
}
