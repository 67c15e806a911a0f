import { createHash } from "node:crypto";
import { MESSAGE_BODY_CHARS_MAX, Problem } from "@longwave/contract";
import { maySend, readAccount } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { MessageRow } from "../../messaging/messages/message-row.ts";
import {
  checkLiveSender,
  NO_SLOTS,
  prepare,
  prepareFailed,
} from "../../messaging/outbound/index.ts";
import { findSender } from "../../network/numbers/index.ts";
import type { TwilioDeps } from "./deps.ts";
import { replyOverLimit } from "./reply-limits.ts";

/**
 * Answers a text that arrived, from the number that it arrived on. Each answer has a claim that is
 * made of the event: an endpoint that is asked twice, because its first answer was lost on the way,
 * is heard once. A reply over its limits becomes a failed message, so that the account sees why.
 */
export async function sendReplies(
  deps: TwilioDeps,
  received: MessageRow,
  eventId: string,
  bodies: readonly string[],
): Promise<void> {
  for (const [index, body] of bodies.entries()) {
    const refusal = await reply(deps, received, body, `twiml:${eventId}:${index}`);
    if (refusal === null) continue;
    const message = toApiId("message", received.id);
    deps.log.info({ message, reason: refusal }, "a TwiML answer was not sent");
    // One failed message tells the account of the limit; the rest of the answers are over it, too.
    if (refusal === "rate_limited" || refusal === "quota_exceeded") return;
  }
}

async function reply(
  deps: TwilioDeps,
  received: MessageRow,
  body: string,
  key: string,
): Promise<string | null> {
  const account = await readAccount(deps.db, received.account_id);
  if (account === null) return "the account is gone";
  const number = await findSender(deps, account, received.to_number);
  if (!number) return "the number is no longer the account's";
  if (!maySend(account, number.mode)) return "the account may not send";
  if ([...body].length > MESSAGE_BODY_CHARS_MAX) return "it is too long";
  const to = received.from_number;
  try {
    if (number.mode === "live") await checkLiveSender(deps, account, number, to);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  const { mode, customer_id: customerId } = number;
  const from = number.phone_number;
  const wanted = { account, mode, from, to, body, customerId, poolId: null };
  const limit = await replyOverLimit(deps, wanted);
  const draft =
    limit === null ? await prepare(deps, wanted, NO_SLOTS) : prepareFailed(deps, wanted, limit);
  const keyHash = createHash("sha256").update(key).digest();
  const claim = { keyHash, fingerprint: keyHash, answer: null };
  const { verdict } = await deps.messageWriter.add({ ...draft, claim });
  return verdict === "accepted" || verdict === "duplicate" ? limit : verdict;
}
