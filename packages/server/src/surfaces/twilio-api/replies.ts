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
import { insertReply } from "./sql.ts";

/**
 * Sends TwiML replies from the number that received the message. Each reply has a claim derived from the
 * event, so that a repeated callback sends nothing twice. A reply above its limits becomes a failed message,
 * so that the account sees the reason.
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
    deps.log.info({ message, reason: refusal }, "twilio-api: reply not sent");
    // One failed message shows the limit to the account; the remaining replies exceed it, too.
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
  const id = deps.ids.make();
  const request = { account, id, mode, from, to, body, customerId, poolId: null };
  const limit = await replyOverLimit(deps, request);
  // Stored before the message, so that no reader sees the message as sent through the API.
  await deps.db.query(insertReply, [account.shard, account.id, id]);
  const draft =
    limit === null ? await prepare(deps, request, NO_SLOTS) : prepareFailed(deps, request, limit);
  const keyHash = createHash("sha256").update(key).digest();
  const claim = { keyHash, fingerprint: keyHash, answer: null };
  const { verdict } = await deps.messageWriter.add({ ...draft, claim });
  return verdict === "accepted" || verdict === "duplicate" ? limit : verdict;
}
