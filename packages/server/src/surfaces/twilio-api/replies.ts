import { createHash } from "node:crypto";
import { MESSAGE_BODY_CHARS_MAX, Problem } from "@longwave/contract";
import { readAccount } from "../accounts/index.ts";
import { checkLiveSender, compose, type MessageRow, NO_PLACES } from "../handover/index.ts";
import { findSender } from "../numbers/index.ts";
import { toApiId } from "../platform/ids.ts";
import type { TwilioDeps } from "./deps.ts";

/**
 * Answers a text that arrived, from the number that it arrived on. Each answer has a claim that is
 * made of the event: an endpoint that is asked twice, because its first answer was lost on the way,
 * is heard once.
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
  }
}

async function reply(
  deps: TwilioDeps,
  received: MessageRow,
  body: string,
  key: string,
): Promise<string | null> {
  const account = await readAccount(deps.db, received.account_id);
  if (account?.status !== "active") return "the account is not active";
  const number = await findSender(deps, account, received.to_number);
  if (!number) return "the number is no longer the account's";
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
  const draft = await compose(
    deps,
    { account, mode, from, to, body, customerId, poolId: null },
    NO_PLACES,
  );
  const keyHash = createHash("sha256").update(key).digest();
  const claim = { keyHash, fingerprint: keyHash, answer: null };
  const { verdict } = await deps.messageWriter.add({ ...draft, claim });
  return verdict === "accepted" || verdict === "duplicate" ? null : verdict;
}
