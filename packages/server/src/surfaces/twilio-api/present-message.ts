import {
  type Message,
  type ScheduledMessage,
  TWILIO_FAILURE_UNKNOWN,
  TWILIO_FAILURES,
  toTwilioSid,
} from "@longwave/contract";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { Principal } from "../../http/api/caller.ts";
import { rfc2822 } from "./dates.ts";

/** Sid of a message; a scheduled message keeps its first sid after it is sent. */
export function messageSid(id: string, scheduledId: string | null): string {
  const uuid =
    scheduledId === null ? fromApiId("message", id) : fromApiId("scheduled_message", scheduledId);
  return toTwilioSid("message", expect(uuid, "a message has no id"));
}

/** Twilio's status: a message that failed after `sent` is `undelivered`. */
export function statusOf(message: Pick<Message, "status" | "sent_at">): string {
  if (message.status !== "failed") return message.status;
  return message.sent_at === null ? "failed" : "undelivered";
}

export function errorCodeOf(failure: Message["failure"]): number | null {
  return failure === null ? null : (TWILIO_FAILURES[failure.code] ?? TWILIO_FAILURE_UNKNOWN);
}

interface Shown {
  readonly caller: Principal;
  readonly sid: string;
  readonly status: string;
  readonly direction: string;
  readonly from: string | null;
  readonly to: string;
  readonly body: string;
  readonly poolId: string | null;
  readonly failure: Message["failure"];
  readonly segments: number;
  readonly price: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly updatedAt: string;
}

/** A stored message. `isTwimlReply`: sent by a TwiML document, see find-replies.ts. */
export function presentMessage(caller: Principal, message: Message, isTwimlReply: boolean): object {
  const isInbound = message.direction === "inbound";
  const isReply = isTwimlReply || message.auto_reply;
  return present({
    caller,
    sid: messageSid(message.id, message.scheduled_message_id),
    status: statusOf(message),
    direction: isInbound ? "inbound" : isReply ? "outbound-reply" : "outbound-api",
    from: message.from,
    to: message.to,
    body: message.body,
    poolId: message.pool_id,
    failure: message.failure,
    segments: message.segments,
    price: message.status === "queued" ? null : priceText(message.price),
    createdAt: message.created_at,
    sentAt: isInbound ? message.created_at : message.sent_at,
    updatedAt: message.delivered_at ?? message.failed_at ?? message.sent_at ?? message.created_at,
  });
}

/** A scheduled message that has not been sent. */
export function presentUnsent(caller: Principal, later: ScheduledMessage): object {
  const isPool = later.from.startsWith("pool_");
  return present({
    caller,
    sid: messageSid("", later.id),
    status: later.status === "pending" ? "scheduled" : later.status,
    direction: "outbound-api",
    from: isPool ? null : later.from,
    to: later.to,
    body: later.body,
    poolId: isPool ? later.from : null,
    failure: later.failure,
    segments: 0,
    price: null,
    createdAt: later.created_at,
    sentAt: null,
    updatedAt: later.canceled_at ?? later.created_at,
  });
}

function present(shown: Shown): object {
  const account = toTwilioSid("account", shown.caller.account.id);
  const uri = `/2010-04-01/Accounts/${account}/Messages/${shown.sid}`;
  const errorCode = errorCodeOf(shown.failure);
  return {
    account_sid: account,
    api_version: "2010-04-01",
    body: shown.body,
    date_created: rfc2822(shown.createdAt),
    date_sent: rfc2822(shown.sentAt),
    date_updated: rfc2822(shown.updatedAt),
    direction: shown.direction,
    error_code: errorCode,
    error_message: shown.failure?.explanation ?? null,
    from: shown.from,
    messaging_service_sid: serviceSid(shown.poolId),
    num_media: "0",
    num_segments: String(shown.segments),
    price: shown.price,
    price_unit: "USD",
    sid: shown.sid,
    status: shown.status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: shown.to,
    uri: `${uri}.json`,
  };
}

export function serviceSid(poolId: string | null): string | null {
  const uuid = poolId === null ? null : fromApiId("pool", poolId);
  return uuid === null ? null : toTwilioSid("messaging_service", uuid);
}

/** Price as the amount taken from the balance. */
function priceText(usd: number): string {
  return usd === 0 ? "0.00000" : `-${usd.toFixed(5)}`;
}
