import {
  isBlank,
  type Message,
  type MessagePreview,
  Problem,
  type RouteInput,
  type ScheduledMessage,
} from "@longwave/contract";
import { type AccountRow, type Principal, readQuietHours } from "../../account/accounts/index.ts";
import { overQuota, overSpendLimit } from "../../account/billing/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { type Context, checking, type HandlersOf } from "../../http/api/handler.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import {
  AlreadyClaimed,
  endClaim,
  findEarlier,
  type IdempotencyClaim,
} from "../../http/idempotency/index.ts";
import { isIn } from "../../network/carriers/index.ts";
import {
  findMessage,
  type MessageRow,
  messageText,
  type PreparedMessage,
  presentFailure,
  presentMessage,
  type Verdict,
} from "../messages/index.ts";
import {
  acceptedRow,
  checkLiveSender,
  checkSenderForm,
  chooseSender,
  isDeferred,
  metadataOrNull,
  type OutboundDeps,
  type OutboundRequest,
  prepare,
  requireConsent,
  sourceNumberOf,
  statusCodeOf,
  submissionsOf,
  submitBeforeDeadline,
  withSlots,
} from "../outbound/index.ts";
import { scheduleMessage, scheduleTime } from "../scheduled-messages/index.ts";
import { previewMessage } from "./preview.ts";

type SendInput = RouteInput<"messages.send">["body"];
type SendAnswer =
  | { status: 200; body: MessagePreview }
  | { status: 201; body: Message | ScheduledMessage; headers?: Record<string, string> }
  | { status: 202; body: Message; headers?: Record<string, string> };

export const sendHandlers: HandlersOf<"messages.send", OutboundDeps> = {
  "messages.send": checking(
    (deps, { body }) => checkSend(deps, body),
    (context, { body }) => sendMessage(context, body),
  ),
};

/**
 * POST /messages: checks, one write, and for live messages the submit before the answer.
 *
 * `id`: set when the caller has already stored rows that refer to this message (UUID).
 */
export async function sendMessage(
  context: Context<Principal, OutboundDeps>,
  input: SendInput,
  id?: string,
): Promise<SendAnswer> {
  const { deps, caller } = context;
  const { to, quietHours } = readSend(deps, input);
  const sender = await chooseSender(deps, {
    account: caller.account,
    mode: caller.mode,
    from: input.from,
    to,
    customerApiId: input.customer_id,
    remember: input.dry_run !== true,
  });
  const request: OutboundRequest = {
    account: caller.account,
    ...(id === undefined ? {} : { id }),
    mode: caller.mode,
    from: sender.number.phone_number,
    to,
    body: input.body,
    customerId: sender.customerId,
    poolId: sender.poolId,
    expiresAtMs: input.valid_for === undefined ? null : deps.clock.now() + input.valid_for * 1_000,
    quietHours,
    metadata: metadataOrNull(input.metadata),
  };
  if (input.dry_run)
    return { status: 200, body: await previewMessage(deps, request, sender.number) };
  if (caller.mode === "live") await checkLiveSender(deps, caller.account, sender.number, to);
  await requireConsent(deps, request);
  if (input.scheduled_at !== undefined) {
    const later = { scheduledAt: input.scheduled_at, validForSeconds: input.valid_for ?? null };
    return scheduleMessage(context, request, input.from, later);
  }
  return sendNow(deps, request, context.claim);
}

/** Validates the fields without a query. */
function readSend(
  deps: OutboundDeps,
  input: SendInput,
): { readonly to: string; readonly quietHours: number | null } {
  if (input.media !== undefined) {
    throw new Problem("mms_not_enabled", "Media messages are not enabled. Leave media out.", {
      param: "media",
    });
  }
  if (isBlank(input.body)) {
    throw new Problem("invalid_request", "body must not be blank.", { param: "body" });
  }
  const to = parseRecipient(deps, input.to, "to");
  if (input.scheduled_at !== undefined) scheduleTime(deps, input.scheduled_at);
  return { to, quietHours: readQuietHours(input.quiet_hours) };
}

/** Validates a request before its Idempotency-Key is looked up. The sender's existence is checked later. */
function checkSend(deps: OutboundDeps, input: SendInput): void {
  readSend(deps, input);
  checkSenderForm(input.from);
}

/** Sends a message whose fields, sender and customer are resolved. */
async function sendNow(
  deps: OutboundDeps,
  request: OutboundRequest,
  claim: IdempotencyClaim | null,
): Promise<SendAnswer> {
  const { prepared, accepted, submission } = await withSlots(deps.carriers, async (slots) => {
    if (request.mode === "live") await slots.reserveSoon(request.from, request.to);
    const message = keyed(await prepare(deps, request, slots), claim);
    const result = await deps.messageWriter.add(message);
    const [first] = submissionsOf([message], [result], slots);
    return { prepared: message, accepted: result, submission: first };
  });
  if (accepted.verdict === "duplicate" && claim && !prepared.row.simulated) {
    return answerOfFirst(deps, claim, request.account);
  }
  refuse(accepted.verdict, deps.clock.now());
  if (prepared.row.simulated) return answerOf(prepared.row);
  if (submission) {
    return answerOf(
      await submitBeforeDeadline(deps, submission, claim && { ...claim, bodyOf: messageText }),
    );
  }
  const row = acceptedRow(prepared, accepted);
  deps.wakes.wakeAt(LANES.dispatch, row.next_attempt_at ?? 0);
  if (isDeferred(row) || !isIn(deps.carriers.remoteNumbers(), sourceNumberOf(deps, row)))
    return answerOf(row);
  const settled = await deps.remoteSubmits(row);
  await keepAnswer(deps, claim, settled);
  return answerOf(settled);
}

/** Stores the answer for retries after another process submitted the message. A failed message frees the key. */
async function keepAnswer(
  deps: OutboundDeps,
  claim: IdempotencyClaim | null,
  row: MessageRow,
): Promise<void> {
  if (claim === null || row.status === "queued") return;
  const answer =
    row.status === "failed" ? null : { status: statusCodeOf(row), text: messageText(row) };
  await deps.db.query(endClaim(deps, claim, answer));
}

/**
 * Claims the Idempotency-Key with the message. A sandbox answer is known before the write.
 *
 * A permanently refused message is a failed request and leaves no claim: a retry is a new attempt.
 */
function keyed(prepared: PreparedMessage, claim: IdempotencyClaim | null): PreparedMessage {
  const { row } = prepared;
  if (claim === null || row.status === "failed") return prepared;
  const answer = row.simulated ? { status: statusCodeOf(row), body: messageText(row) } : null;
  const { keyHash, fingerprint } = claim;
  return { ...prepared, claim: { keyHash, fingerprint, answer } };
}

function answerOf(row: MessageRow, headers?: Record<string, string>): SendAnswer {
  if (row.status === "failed") throw refusedByCarrier(row);
  return new MessageAnswer(row, headers) as SendAnswer;
}

/**
 * Answer of a send: serialised once, with `body` built on demand. A class, because an object literal with a getter
 * takes several times as long per send.
 */
class MessageAnswer {
  readonly status: 201 | 202;
  readonly text: string;
  readonly headers: Record<string, string> | undefined;
  readonly #row: MessageRow;

  constructor(row: MessageRow, headers?: Record<string, string>) {
    this.status = statusCodeOf(row);
    this.text = messageText(row);
    this.headers = headers;
    this.#row = row;
  }

  get body(): Message {
    return presentMessage(this.#row);
  }
}

/** Answers the retry of a request whose process died before its answer: with the message it created. */
async function answerOfFirst(
  deps: OutboundDeps,
  claim: IdempotencyClaim,
  account: AccountRow,
): Promise<SendAnswer> {
  const earlier = await findEarlier(deps, claim);
  if (!earlier || earlier.answer || earlier.objectId === null) throw new AlreadyClaimed();
  const [row] = await deps.db.query<MessageRow>(findMessage, [
    account.shard,
    account.id,
    earlier.objectId,
  ]);
  if (!row) throw new AlreadyClaimed();
  return answerOf(row, { "idempotent-replayed": "true" });
}

/** Throws the Problem for a verdict of the accept statement. */
function refuse(verdict: Verdict, nowMs: number): void {
  switch (verdict) {
    case "accepted":
      return;
    case "duplicate":
      throw new AlreadyClaimed();
    case "recipient_opted_out":
      throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
        param: "to",
      });
    case "quota_exceeded":
      throw overQuota(nowMs);
    case "spend_limit_reached":
      throw overSpendLimit("This message", nowMs);
    case "insufficient_credits":
      throw new Problem(
        "insufficient_credits",
        "The balance is too low for this message. Add credit.",
      );
  }
}

function refusedByCarrier(row: MessageRow): Problem {
  const { title } = presentFailure(row.failure_code ?? "carrier_rejected", row.carrier_code);
  const id = toApiId("message", row.id);
  const message = `${title}. GET /v1/messages/${id} tells what it said and what to do.`;
  return new Problem("carrier_error", message, { beside: { message_id: id } });
}
