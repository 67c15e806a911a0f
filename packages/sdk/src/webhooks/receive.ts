import type { WebhookEvent } from "../contract/types.ts";
import { type RawBody, type ReceivedHeaders, verify, WebhookVerificationError } from "./verify.ts";

/** Handles an event. When it throws, the service gets a 500 and retries the event. */
export type EventHandler = (event: WebhookEvent) => unknown;

/** Far above the size of any event. */
export const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024;

/** Response, independent of the framework. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export const TOO_LARGE: Reply = {
  status: 413,
  text: `A webhook's body has at most ${WEBHOOK_BODY_BYTES_MAX} bytes.`,
};

/** Verifies and handles. A bad signature is a 400; the caller handles exceptions of the handler. */
export async function receive(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string,
  handler: EventHandler,
): Promise<Reply> {
  let event: WebhookEvent;
  try {
    event = await verify(rawBody, headers, secret);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { status: 400, text: error.message };
    throw error;
  }
  await handler(event);
  return { status: 200, text: "ok" };
}
