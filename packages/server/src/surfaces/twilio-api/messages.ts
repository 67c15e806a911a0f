import {
  formatTimestamp,
  fromTwilioSid,
  type Message,
  normalizePhone,
  PAGE_ITEMS_MAX,
  Problem,
  type ScheduledMessage,
} from "@longwave/contract";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { activateCallbacks } from "../../events/webhooks/index.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { Context, PipelineAnswer } from "../../http/api/handler.ts";
import { sealCursor } from "../../http/api/pages.ts";
import type { AnyHandler } from "../../http/server/calls.ts";
import { listMessages, messageCursorScope } from "../../messaging/messages/index.ts";
import type { OutboundDeps } from "../../messaging/outbound/index.ts";
import { listUnsent, presentScheduled } from "../../messaging/scheduled-messages/index.ts";
import { sendMessage } from "../../messaging/send/send.ts";
import { sidIn, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { dayAround, parseTimestampIn } from "./dates.ts";
import { twimlReplies } from "./find-replies.ts";
import type { Form } from "./form.ts";
import { PAGE_PARAMETERS, pageAnswer, pageOf, type TwilioPage } from "./paging.ts";
import { presentMessage, presentUnsent } from "./present-message.ts";
import { notSupported, TwilioRefusal } from "./refusals.ts";
import { insertCallback } from "./sql.ts";

const BASE = "/2010-04-01/Accounts/{account}";

export const messageRoutes: readonly TwilioRoute[] = [
  {
    method: "POST",
    path: `${BASE}/Messages.json`,
    family: "messages",
    asRoute: "messages.send",
    form: {
      takes: [
        ...["To", "From", "MessagingServiceSid", "Body", "StatusCallback", "Channel"],
        ...["ScheduleType", "SendAt", "ValidityPeriod"],
      ],
      // Each asks for the default behaviour, or for something that SMS lacks.
      ignores: [
        ...["ProvideFeedback", "Attempt", "ForceDelivery", "SmartEncoded", "MaxPrice"],
        ...["ContentRetention", "AddressRetention", "RiskCheck"],
      ],
    },
    handle: create,
  },
  {
    method: "GET",
    path: `${BASE}/Messages.json`,
    family: "messages",
    asRoute: "messages.list",
    form: { takes: ["To", "From", "DateSent", "DateSent<", "DateSent>", ...PAGE_PARAMETERS] },
    handle: list,
  },
  {
    method: "GET",
    path: `${BASE}/Messages/{sid}`,
    family: "messages",
    asRoute: "messages.get",
    form: { takes: [] },
    handle: async (request) => ({ status: 200, body: await shown(request, uuidOf(request)) }),
  },
  {
    method: "POST",
    path: `${BASE}/Messages/{sid}`,
    family: "messages",
    asRoute: "scheduledMessages.delete",
    form: { takes: ["Status"] },
    handle: cancel,
  },
];

async function create(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form } = request;
  const body = messageFrom(form);
  const callback = form.get("StatusCallback") || null;
  const id = deps.ids.make();
  if (callback !== null) {
    const verdict = deps.outgoing.checkUrl(callback);
    if (!verdict.ok) throw new TwilioRefusal(21609, verdict.reason);
    // Stored before the message, so that its first event finds the callback URL.
    await activateCallbacks(deps, deps.db, caller.account);
    const { shard, id: accountId } = caller.account;
    await deps.db.query(insertCallback, [shard, accountId, id, callback]);
  }
  const handler = (context: Context<Principal, OutboundDeps>, input: { body: typeof body }) =>
    sendMessage(context, input.body, id);
  try {
    const made = await request.call("messages.send", {
      body,
      handler: handler as unknown as AnyHandler,
    });
    const isScheduled = made.body.object === "scheduled_message";
    const shownBody = isScheduled
      ? presentUnsent(caller, made.body as ScheduledMessage)
      : presentMessage(caller, made.body as Message, false);
    return { status: 201, body: shownBody };
  } catch (error) {
    const refused = refusedByCarrier(error);
    if (refused === null) throw error;
    return { status: 201, body: await shown(request, refused) };
  }
}

/** Id of a message that its carrier refused at once: Twilio answers 201 with a failed message. */
function refusedByCarrier(error: unknown): string | null {
  if (!(error instanceof Problem) || error.code !== "carrier_error") return null;
  const id = error.details.beside?.["message_id"];
  return typeof id === "string" ? fromApiId("message", id) : null;
}

/** The request body of POST /v1/messages. */
function messageFrom(form: Form) {
  const to = form.get("To") ?? "";
  const body = form.get("Body") ?? "";
  const given = form.get("From") || form.get("MessagingServiceSid");
  const isPool = given !== undefined && (/^MG/.test(given) || !form.get("From"));
  const from = isPool ? poolOf(given) : given;
  const channel = form.get("Channel");
  if (channel && channel !== "sms") {
    throw notSupported(`The Channel ${channel.slice(0, 64)} is not supported here: send sms.`);
  }
  if (to.trim() === "") throw new TwilioRefusal(21604);
  if (!from) throw new TwilioRefusal(21603, "A From number or a MessagingServiceSid is required.");
  if (body.trim() === "") throw new TwilioRefusal(21602);
  const later = scheduleOf(form);
  const validity = form.get("ValidityPeriod");
  if (validity !== undefined && !/^\d{1,9}$/.test(validity)) {
    throw new TwilioRefusal(20001, "ValidityPeriod must be a whole number of seconds.");
  }
  return {
    to,
    from,
    body,
    ...(later === null ? {} : { scheduled_at: later }),
    ...(validity === undefined ? {} : { valid_for: Number(validity) }),
  };
}

function poolOf(sid: string | undefined): string | null {
  if (!sid) return null;
  const uuid = fromTwilioSid("messaging_service", sid);
  if (uuid === null) throw new TwilioRefusal(21606, `There is no sender pool ${sid.slice(0, 64)}.`);
  return toApiId("pool", uuid);
}

function scheduleOf(form: Form): string | null {
  const type = form.get("ScheduleType");
  const sendAt = form.get("SendAt");
  if (type === undefined && sendAt === undefined) return null;
  if (type !== "fixed") throw new TwilioRefusal(35114, "ScheduleType must be fixed.");
  if (!sendAt) throw new TwilioRefusal(35114, "SendAt is missing: say when it is to be sent.");
  return sendAt;
}

/** The UUID in a path ending in `SM….json`. */
function uuidOf(request: TwilioRequest): string {
  const uuid = fromTwilioSid("message", sidIn(request));
  if (uuid === null) throw new TwilioRefusal(20404);
  return uuid;
}

/** A message by its own id or by the id of its scheduled message. */
async function shown(request: TwilioRequest, uuid: string): Promise<object> {
  const { deps, caller } = request;
  const message = await foundOrNull(request, "messages.get", toApiId("message", uuid));
  if (message) {
    const replies = await twimlReplies(deps, caller.account, [uuid]);
    return presentMessage(caller, message as Message, replies.has(uuid));
  }
  const later = await foundOrNull(
    request,
    "scheduledMessages.get",
    toApiId("scheduled_message", uuid),
  );
  if (!later) throw new TwilioRefusal(20404);
  const { message_id: id } = later as ScheduledMessage;
  if (id === null) return presentUnsent(caller, later as ScheduledMessage);
  const { body } = await request.call("messages.get", { params: { id } });
  return presentMessage(caller, body as Message, false);
}

async function foundOrNull(
  request: TwilioRequest,
  name: "messages.get" | "scheduledMessages.get" | "scheduledMessages.delete",
  id: string,
): Promise<Message | ScheduledMessage | null> {
  try {
    return (await request.call(name, { params: { id } })).body;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  }
}

async function cancel(request: TwilioRequest): Promise<PipelineAnswer> {
  const uuid = uuidOf(request);
  if (request.form.get("Status") !== "canceled") {
    throw notSupported("A message can be changed in one way: Status=canceled.");
  }
  const id = toApiId("scheduled_message", uuid);
  const canceled = await foundOrNull(request, "scheduledMessages.delete", id);
  if (canceled)
    return { status: 200, body: presentUnsent(request.caller, canceled as ScheduledMessage) };
  // Not found, or already past cancellation.
  await shown(request, uuid);
  throw new TwilioRefusal(30409, "Only a message that is still scheduled can be canceled.");
}

type Listed = { readonly id: string; readonly body: object };

async function list(request: TwilioRequest): Promise<PipelineAnswer> {
  const { deps, caller, form, path } = request;
  const page = pageOf(form);
  const filters = filtersOf(form);
  const sent = await sentOf(request, filters, page);
  const isByDate = [...form.keys()].some((name) => name.startsWith("DateSent"));
  const unsent = isByDate
    ? []
    : await listUnsent(deps, caller, {
        to: filters.to ?? null,
        from: filters.from ?? null,
        belowId: page.belowId,
        limit: page.size + 1,
      });
  const rows: Listed[] = [
    ...sent,
    ...unsent.map((row) => ({ id: row.id, body: presentUnsent(caller, presentScheduled(row)) })),
  ].sort((a, b) => (a.id < b.id ? 1 : -1));
  const body = pageAnswer(
    "messages",
    path,
    form,
    page,
    rows.slice(0, page.size + 1),
    (row) => row.id,
    (row) => row.body,
  );
  return { status: 200, body };
}

/** Reads and presents a hundred at a time: a thousand at once would block the event loop. */
async function sentOf(
  request: TwilioRequest,
  filters: ListFilters,
  page: TwilioPage,
): Promise<Listed[]> {
  const { deps, caller } = request;
  const scope = messageCursorScope(caller, filters);
  const listed: Listed[] = [];
  let belowId = page.belowId;
  for (let hasMore = true; hasMore && listed.length <= page.size; ) {
    const limit = Math.min(PAGE_ITEMS_MAX, page.size + 1 - listed.length);
    const cursor = belowId === null ? {} : { cursor: sealCursor(deps.secrets, scope, [belowId]) };
    const { data, has_more } = await listMessages(deps, caller, {
      ...filters,
      ...cursor,
      limit,
    });
    const ids = data.map(({ id }) => fromApiId("message", id) ?? "");
    const replies = await twimlReplies(deps, caller.account, ids);
    for (const [index, message] of data.entries()) {
      belowId = ids[index] ?? "";
      listed.push({ id: belowId, body: presentMessage(caller, message, replies.has(belowId)) });
    }
    hasMore = has_more;
  }
  return listed;
}

interface ListFilters {
  readonly to?: string;
  readonly from?: string;
  readonly created_after?: string;
  readonly created_before?: string;
}

function filtersOf(form: Form): ListFilters {
  const to = phoneIn(form, "To");
  const from = phoneIn(form, "From");
  const { after, before } = datesOf(form);
  return {
    ...(to === null ? {} : { to }),
    ...(from === null ? {} : { from }),
    ...(after === null ? {} : { created_after: formatTimestamp(after) }),
    ...(before === null ? {} : { created_before: formatTimestamp(before) }),
  };
}

function phoneIn(form: Form, name: "To" | "From"): string | null {
  const given = form.get(name);
  if (!given) return null;
  const phone = normalizePhone(given);
  if (phone === null) throw new TwilioRefusal(20001, `${name} must be a phone number.`);
  return phone;
}

/** A day, or an inclusive range of timestamps. */
function datesOf(form: Form): { after: number | null; before: number | null } {
  const on = form.get("DateSent");
  const from = form.get("DateSent>");
  const until = form.get("DateSent<");
  const day = on ? dayAround(parseTimestampIn(on, "DateSent")) : null;
  return {
    after: day?.from ?? (from ? parseTimestampIn(from, "DateSent>") : null),
    before: day?.to ?? (until ? parseTimestampIn(until, "DateSent<") + 1 : null),
  };
}
