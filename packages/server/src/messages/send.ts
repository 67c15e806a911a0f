import {
  type Message,
  type MessagePreview,
  Problem,
  type RouteInput,
  type ScheduledMessage,
} from "@longwave/contract";
import type { AccountRow, Principal } from "../accounts/index.ts";
import type { Context } from "../api/handler.ts";
import type { Carrier } from "../carriers/index.ts";
import type { HandoverDeps as Deps } from "../handover/deps.ts";
import type { Accepted, MessageRow, Verdict } from "../handover/index.ts";
import {
  ANSWER_WAIT_MS_MAX,
  acceptedRow,
  checkLiveSender,
  chooseSender,
  draftLive,
  draftSimulated,
  findMessage,
  handOver,
  leavesForReal,
  presentFailure,
  statusCodeOf,
  textableOf,
  type Wanted,
} from "../handover/index.ts";
import { AlreadyClaimed, findEarlier, type IdempotencyClaim } from "../idempotency/index.ts";
import { toApiId } from "../platform/ids.ts";
import { scheduleMessage } from "../scheduled/schedule.ts";
import { messageText, presentMessage } from "./present.ts";
import { previewMessage } from "./preview.ts";

type SendInput = RouteInput<"messages.send">["body"];
type SendAnswer =
  | { status: 200; body: MessagePreview }
  | { status: 201; body: Message | ScheduledMessage; headers?: Record<string, string> }
  | { status: 202; body: Message; headers?: Record<string, string> };

/** POST /messages: checks, then one write; live texts go to their carrier before the answer. */
export async function sendMessage(
  context: Context<Principal, Deps>,
  input: SendInput,
): Promise<SendAnswer> {
  const { deps, caller } = context;
  const to = checkFields(deps, input);
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
    mode: caller.mode,
    from: sender.number.phone_number,
    to,
    body: input.body,
    customerId: sender.customerId,
    poolId: sender.poolId,
  };
  if (input.dry_run)
    return { status: 200, body: await previewMessage(deps, wanted, sender.number) };
  if (caller.mode === "live") await checkLiveSender(deps, caller.account, sender.number, to);
  if (input.scheduled_at !== undefined) {
    return scheduleMessage(context, wanted, input.from, input.scheduled_at);
  }
  return sendNow(deps, wanted, context.claim);
}

/** What can be said about the fields without asking anybody. */
function checkFields(deps: Deps, input: SendInput): string {
  if (input.media !== undefined) {
    throw new Problem("mms_not_enabled", "Media messages are not enabled. Leave media out.", {
      param: "media",
    });
  }
  if (input.body.trim() === "") {
    throw new Problem("invalid_request", "body must not be blank.", { param: "body" });
  }
  return textableOf(deps, input.to, "to");
}

/** Sends a text whose fields, sender and customer are settled. */
export async function sendNow(
  deps: Deps,
  wanted: Wanted,
  claim: IdempotencyClaim | null,
): Promise<SendAnswer> {
  if (await leavesForReal(deps, wanted)) return sendLive(deps, wanted, claim);
  return sendSimulated(deps, wanted, claim);
}

async function sendSimulated(
  deps: Deps,
  wanted: Wanted,
  claim: IdempotencyClaim | null,
): Promise<SendAnswer> {
  const draft = draftSimulated(deps, wanted);
  const { row } = draft;
  const answer = messageAnswer(row);
  // A refusal for good is a failed request: it leaves no claim, and a retry is a new attempt.
  const keeps = claim !== null && row.status !== "failed";
  const accepted = await deps.messageWriter.add(
    keeps
      ? { ...draft, claim: { ...claim, answer: { status: answer.status, body: answer.text } } }
      : draft,
  );
  refuse(accepted.verdict);
  if (row.status === "failed") throw refusedByCarrier(row);
  return answer;
}

async function sendLive(
  deps: Deps,
  wanted: Wanted,
  claim: IdempotencyClaim | null,
): Promise<SendAnswer> {
  const carrier = deps.carriers.reserve(wanted.from);
  const draft = draftLive(deps, wanted, carrier?.name ?? null, wanted.mode === "test");
  let accepted: Accepted;
  try {
    accepted = await deps.messageWriter.add({
      ...draft,
      claim: claim
        ? { keyHash: claim.keyHash, fingerprint: claim.fingerprint, answer: null }
        : null,
    });
    if (accepted.verdict !== "accepted") carrier?.release(1);
  } catch (error) {
    carrier?.release(1);
    throw error;
  }
  if (accepted.verdict === "duplicate" && claim) return answerOfFirst(deps, claim, wanted.account);
  refuse(accepted.verdict);
  const row = acceptedRow(draft, accepted);
  const settled = carrier ? await handOverInTime(deps, carrier, row, claim) : row;
  if (!carrier) deps.wakes.wake("messages");
  return answerOf(settled);
}

/** Waits for the carrier's word, but not for long: what comes later is written down all the same. */
function handOverInTime(
  deps: Deps,
  carrier: Carrier,
  row: MessageRow,
  claim: IdempotencyClaim | null,
): Promise<MessageRow> {
  return new Promise((resolve, reject) => {
    const forgo = deps.clock.after(ANSWER_WAIT_MS_MAX, () => resolve(row));
    handOver(deps, carrier, row, claim ? { ...claim, textOf: messageText } : null).then(
      (settled) => {
        forgo();
        resolve(settled ?? row);
      },
      (error: unknown) => {
        forgo();
        deps.log.error({ err: error, message_id: row.id }, "a hand-over failed");
        reject(error);
      },
    );
  });
}

function answerOf(row: MessageRow): SendAnswer {
  if (row.status === "failed") throw refusedByCarrier(row);
  return messageAnswer(row);
}

/** A message as the answer of a send. It is sent as text; what the text says is made when asked for. */
function messageAnswer(row: MessageRow): SendAnswer & { readonly text: string } {
  return {
    status: statusCodeOf(row),
    text: messageText(row),
    get body() {
      return presentMessage(row);
    },
  };
}

/** The retry of a request whose process died before it could answer: the message it made. */
async function answerOfFirst(
  deps: Deps,
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
  const answer = answerOf(row);
  return { ...answer, headers: { "idempotent-replayed": "true" } } as SendAnswer;
}

/** The refusal that a verdict of the accept statement stands for. */
export function refuse(verdict: Verdict): void {
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
      throw new Problem("quota_exceeded", "Today's quota of live messages is used up.", {
        headers: { "retry-after": "3600" },
      });
    case "insufficient_credits":
      throw new Problem(
        "insufficient_credits",
        "The balance is too low for this message. Add credit.",
      );
  }
}

function refusedByCarrier(row: MessageRow): Problem {
  const failure = presentFailure(row.failure_code ?? "carrier_rejected", row.carrier_code);
  return new Problem("carrier_error", `${failure.title}. ${failure.action}`, {
    beside: { message_id: toApiId("message", row.id) },
  });
}
