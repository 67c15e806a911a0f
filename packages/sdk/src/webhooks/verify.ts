import {
  type SignatureVerdict,
  verifyStandardAsync,
  verifySvcAsync,
} from "../contract/signature.ts";
import type { WebhookEvent } from "../contract/types.ts";
import { nowSeconds } from "../core/ambient.ts";

/** The request is forged, altered or too old. */
export class WebhookVerificationError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "WebhookVerificationError";
  }
}

/** The body exactly as received: string or bytes, not parsed and serialized again. */
export type RawBody = string | Uint8Array;

/** Headers in the shapes of common servers. */
export type ReceivedHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum age of the timestamp, in both directions. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Replaces the current time, for tests. */
  readonly nowSeconds?: number | undefined;
}

/**
 * Verifies a webhook and returns its event; throws WebhookVerificationError. `secret` is the
 * endpoint's, `whsec_` included. Events may repeat: deduplicate by id.
 */
export async function verify(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const verdict = await verdictOf(rawBody, headers, secret, options);
  if (!verdict.ok) throw new WebhookVerificationError(verdict.reason);
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  return JSON.parse(text) as WebhookEvent;
}

function verdictOf(
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
