import type { WebhookEvent } from "../contract/types.ts";
import { type RawBody, type ReceivedHeaders, verify, WebhookVerificationError } from "./verify.ts";

/** What is done with an event. When it throws, the service is told so and sends the event again. */
export type EventHandler = (event: WebhookEvent) => unknown;

/** Far more than any event has. */
export const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024;

/** What to answer, in words that any framework can say. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export const TOO_LARGE: Reply = {
  status: 413,
  text: `A webhook's body has at most ${WEBHOOK_BODY_BYTES_MAX} bytes.`,
};

/** Verifies and handles. A bad signature is a 400; what the handler throws is the caller's. */
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
