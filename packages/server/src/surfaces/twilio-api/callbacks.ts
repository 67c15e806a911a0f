import { areaCodeByNumber, matchKeyword, type SmsMethod, toTwilioSid } from "@longwave/contract";
import { authTokensOf } from "../../account/accounts/index.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { EventRow } from "../../events/log/index.ts";
import { type Attempted, type Callbacks, sendOnce } from "../../events/webhooks/index.ts";
import { type MessageRow, presentFailure } from "../../messaging/messages/message-row.ts";
import { findMessage } from "../../messaging/messages/sql.ts";
import { rateCentreOf } from "../../network/numbers/index.ts";
import type { TwilioDeps } from "./deps.ts";
import { twilioSignature } from "./form.ts";
import { errorCodeOf, messageSid, serviceSid } from "./present-message.ts";
import { sendReplies } from "./replies.ts";
import { findCallback, findConsentOf, findInboundUrl } from "./sql.ts";
import { repliesIn } from "./twiml.ts";

interface Call {
  readonly url: string;
  readonly method: SmsMethod;
  readonly parameters: Readonly<Record<string, string>>;
}

interface InboundUrl {
  readonly sms_url: string | null;
  readonly sms_method: SmsMethod;
  /** At most two. */
  readonly pools: readonly string[];
}

type Target = Parameters<Callbacks>[0];

/**
 * Sends an event as a Twilio callback if the message or the number has a callback URL; null otherwise. TwiML
 * replies to an inbound message are sent before the attempt counts as done.
 */
export async function sendCallback(
  deps: TwilioDeps,
  target: Target,
  event: EventRow,
): Promise<Attempted | null> {
  const row = await messageOf(deps, target, event);
  if (row === null) return null;
  const isInbound = event.type === "message.received";
  const call = isInbound
    ? await inboundCall(deps, target, row)
    : await statusCall(deps, target, event, row);
  if (call === null) return null;
  const tokens = await authTokensOf(deps, target.accountId);
  const attempted = await sendOnce(deps, requestOf(call, tokens[row.mode], event));
  const { result, reply } = attempted;
  if (isInbound && result.ok && reply !== null) {
    const bodies = repliesIn(reply.toString("utf8"));
    if (bodies !== null) await sendReplies(deps, row, event.id, bodies);
  }
  return attempted;
}

async function messageOf(
  deps: TwilioDeps,
  { shard, accountId }: Target,
  event: EventRow,
): Promise<MessageRow | null> {
  const { message_id: id } = JSON.parse(event.data) as { message_id?: unknown };
  const uuid = typeof id === "string" ? fromApiId("message", id) : null;
  if (uuid === null) return null;
  const [row] = await deps.db.query<MessageRow>(findMessage, [shard, accountId, uuid]);
  return row ?? null;
}

async function statusCall(
  deps: TwilioDeps,
  { shard, accountId }: Target,
  event: EventRow,
  row: MessageRow,
): Promise<Call | null> {
  const ids = [row.id, row.scheduled_message_id].filter((id) => id !== null);
  const [callback] = await deps.db.query<{ url: string }>(findCallback, [shard, accountId, ids]);
  if (!callback) return null;
  const status = statusIn(event, row);
  const failure = row.failure_code === null ? null : presentFailure(row.failure_code, null);
  const errorCode = status === "failed" || status === "undelivered" ? errorCodeOf(failure) : null;
  const parameters = {
    ...commonParameters(accountId, row, row.pool_id),
    MessageStatus: status,
    SmsStatus: status,
    ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
  };
  return { url: callback.url, method: "POST", parameters };
}

/** Status at the time of the event: the message may have changed since. */
function statusIn(event: EventRow, row: MessageRow): string {
  if (event.type === "message.sent") return "sent";
  if (event.type === "message.delivered") return "delivered";
  return row.sent_at === null ? "failed" : "undelivered";
}

async function inboundCall(
  deps: TwilioDeps,
  target: Target,
  row: MessageRow,
): Promise<Call | null> {
  const { shard, accountId } = target;
  const values = [shard, accountId, row.to_number];
  const [callback] = await deps.db.query<InboundUrl>(findInboundUrl, values);
  if (!callback || callback.sms_url === null) return null;
  // The only pool of the number is the service that the message came in by.
  const [pool = null, other] = callback.pools;
  const common = commonParameters(accountId, row, other === undefined ? pool : null);
  const parameters = {
    ...common,
    SmsMessageSid: common.MessageSid,
    SmsStatus: "received",
    Body: row.body,
    NumMedia: "0",
    NumSegments: String(row.segments),
    ...areaParameters("From", row.from_number),
    ...areaParameters("To", row.to_number),
    ...(await optOutParameter(deps, target, row)),
  };
  return { url: callback.sms_url, method: callback.sms_method, parameters };
}

/** Area of a number by its area code and exchange, in capitals. The numbering plan knows no postal codes. */
function areaParameters(name: "From" | "To", phone: string): Readonly<Record<string, string>> {
  const country = areaCodeByNumber(Number(phone.slice(2, 5)))?.country;
  const isKnown = phone.startsWith("+1") && country !== undefined;
  const { locality, region } = isKnown ? rateCentreOf(phone) : { locality: null, region: null };
  return {
    [`${name}City`]: locality?.toUpperCase() ?? "",
    [`${name}State`]: region ?? "",
    [`${name}Zip`]: "",
    [`${name}Country`]: isKnown ? country : "",
  };
}

const OPT_OUT_TYPES = { opt_out: "STOP", opt_in: "START", help: "HELP" } as const;
const TYPES_OF_CONSENT: Readonly<Record<string, string>> = { opted_out: "STOP", opted_in: "START" };

/** Request that this service handled, so that a program does not reply to it as well. */
async function optOutParameter(
  deps: TwilioDeps,
  { shard, accountId }: Target,
  row: MessageRow,
): Promise<Readonly<Record<string, string>>> {
  const found = matchKeyword(row.body, { optedOut: true });
  if (found === null) return {};
  if (matchKeyword(row.body, { optedOut: false })?.match === "keyword") {
    return { OptOutType: OPT_OUT_TYPES[found.action] };
  }
  // A phrase may have been flagged only, and YES answers other questions, too.
  const values = [shard, accountId, row.mode, row.from_number, row.id];
  const [entry] = await deps.db.query<{ status: string }>(findConsentOf, values);
  const type = entry && TYPES_OF_CONSENT[entry.status];
  return type === undefined ? {} : { OptOutType: type };
}

function commonParameters(accountId: string, row: MessageRow, poolId: string | null) {
  const scheduled =
    row.scheduled_message_id === null
      ? null
      : toApiId("scheduled_message", row.scheduled_message_id);
  const sid = messageSid(toApiId("message", row.id), scheduled);
  const pool = serviceSid(poolId === null ? null : toApiId("pool", poolId));
  return {
    AccountSid: toTwilioSid("account", accountId),
    ApiVersion: "2010-04-01",
    From: row.from_number,
    MessageSid: sid,
    SmsSid: sid,
    To: row.to_number,
    ...(pool === null ? {} : { MessagingServiceSid: pool }),
  };
}

/** A form body, or the same as a query string with GET. Signed as it is sent. */
function requestOf({ url, method, parameters }: Call, token: string, event: EventRow) {
  const form = new URLSearchParams(parameters).toString();
  const once = ["i-twilio-idempotency-token", toApiId("event", event.id)];
  if (method === "GET") {
    const whole = `${url}${url.includes("?") ? "&" : "?"}${form}`;
    const headers = ["x-twilio-signature", twilioSignature(token, whole, {}), ...once];
    return { method, url: whole, headers };
  }
  const headers = [
    "content-type",
    "application/x-www-form-urlencoded",
    "x-twilio-signature",
    twilioSignature(token, url, parameters),
    ...once,
  ];
  return { method, url, headers, body: form };
}
