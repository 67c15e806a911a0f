import {
  isBlank,
  type Message,
  type MessagePreview,
  Problem,
  type RouteInput,
  type ScheduledMessage,
} from "@longwave/contract";
import { type AccountRow, type Principal, readQuietHours } from "../accounts/index.ts";
import type { Context } from "../api/handler.ts";
import { overQuota, overSpendLimit } from "../billing/index.ts";
import { isIn } from "../carriers/index.ts";
import {
  acceptedRow,
  type Composed,
  checkLiveSender,
  checkSenderForm,
  chooseSender,
  compose,
  findMessage,
  type HandoverDeps,
  handOverInTime,
  handOversOf,
  isHeld,
  type MessageRow,
  presentFailure,
  statusCodeOf,
  textableOf,
  type Verdict,
  type Wanted,
  withPlaces,
} from "../handover/index.ts";
import {
  AlreadyClaimed,
  claimAnswerStep,
  claimReleaseStep,
  findEarlier,
  type IdempotencyClaim,
} from "../idempotency/index.ts";
import { toApiId } from "../platform/ids.ts";
import { LANES } from "../queue/lane-names.ts";
import { scheduleMessage, scheduleTime } from "../scheduled/index.ts";
import { messageText, presentMessage } from "./present.ts";
import { previewMessage } from "./preview.ts";

type SendInput = RouteInput<"messages.send">["body"];
type SendAnswer =
  | { status: 200; body: MessagePreview }
  | { status: 201; body: Message | ScheduledMessage; headers?: Record<string, string> }
  | { status: 202; body: Message; headers?: Record<string, string> };

/**
 * POST /messages: checks, then one write; live texts go to their carrier before the answer. Whoever gives
 * an id (a UUID) has written something down under it.
 */
export async function sendMessage(
  context: Context<Principal, HandoverDeps>,
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
  const wanted: Wanted = {
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
  };
  if (input.dry_run)
    return { status: 200, body: await previewMessage(deps, wanted, sender.number) };
  if (caller.mode === "live") await checkLiveSender(deps, caller.account, sender.number, to);
  if (input.scheduled_at !== undefined) {
    const later = { scheduledAt: input.scheduled_at, validForSeconds: input.valid_for ?? null };
    return scheduleMessage(context, wanted, input.from, later);
  }
  return sendNow(deps, wanted, context.claim);
}

/** What can be said about the fields without asking anybody. */
function readSend(
  deps: HandoverDeps,
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
  const to = textableOf(deps, input.to, "to");
  if (input.scheduled_at !== undefined) scheduleTime(deps, input.scheduled_at);
  return { to, quietHours: readQuietHours(input.quiet_hours) };
}

/** The same for a request that goes no further; the form of its sender is seen to where that is looked up. */
export function checkSend(deps: HandoverDeps, input: SendInput): void {
  readSend(deps, input);
  checkSenderForm(input.from);
}

/** Sends a text whose fields, sender and customer are settled. */
async function sendNow(
  deps: HandoverDeps,
  wanted: Wanted,
  claim: IdempotencyClaim | null,
): Promise<SendAnswer> {
  const { composed, accepted, handOver } = await withPlaces(deps.carriers, async (places) => {
    if (wanted.mode === "live") await places.takeSoon(wanted.from);
    const text = keyed(await compose(deps, wanted, places), claim);
    const result = await deps.messageWriter.add(text);
    const [left] = handOversOf([text], [result], places);
    return { composed: text, accepted: result, handOver: left };
  });
  if (accepted.verdict === "duplicate" && claim && !composed.row.simulated) {
    return answerOfFirst(deps, claim, wanted.account);
  }
  refuse(accepted.verdict, deps.clock.now());
  if (composed.row.simulated) return answerOf(composed.row);
  if (handOver) {
    return answerOf(
      await handOverInTime(deps, handOver, claim && { ...claim, textOf: messageText }),
    );
  }
  const row = acceptedRow(composed, accepted);
  deps.wakes.wakeAt(LANES.dispatch, row.next_attempt_at ?? 0);
  if (isHeld(row) || !isIn(deps.carriers.elsewhere(), wanted.from)) return answerOf(row);
  const settled = await deps.elsewhere(row);
  await keepAnswer(deps, claim, settled);
  return answerOf(settled);
}

/** What another process made of the text, for a repeat of the request. A failed one frees the key. */
async function keepAnswer(
  deps: HandoverDeps,
  claim: IdempotencyClaim | null,
  row: MessageRow,
): Promise<void> {
  if (claim === null || row.status === "queued") return;
  const { statement, values } =
    row.status === "failed"
      ? claimReleaseStep(claim)
      : claimAnswerStep(deps, claim, statusCodeOf(row), messageText(row));
  await deps.db.query(statement, values);
}

/**
 * Claims the Idempotency-Key with the message. The answer of a sandbox text is known beforehand;
 * one that is refused for good is a failed request, which leaves no claim: a retry is a new attempt.
 */
function keyed(composed: Composed, claim: IdempotencyClaim | null): Composed {
  const { row } = composed;
  if (claim === null || row.status === "failed") return composed;
  const answer = row.simulated ? { status: statusCodeOf(row), body: messageText(row) } : null;
  const { keyHash, fingerprint } = claim;
  return { ...composed, claim: { keyHash, fingerprint, answer } };
}

function answerOf(row: MessageRow, headers?: Record<string, string>): SendAnswer {
  if (row.status === "failed") throw refusedByCarrier(row);
  return new MessageAnswer(row, headers) as SendAnswer;
}

/**
 * A message as the answer of a send, written as text once; what the text says is made when asked for.
 * A class, because one is made for every send: a literal with a getter takes several times as long.
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

/** The retry of a request whose process died before it could answer: the message it made. */
async function answerOfFirst(
  deps: HandoverDeps,
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

/** The refusal that a verdict of the accept statement stands for. */
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
