import { formatTimestamp, type MessagePreview, microsToUsd, Problem } from "@longwave/contract";
import { dailyQuotaOf } from "../../account/accounts/index.ts";
import { quotaUsed } from "../../account/billing/index.ts";
import type { Sender } from "../../network/numbers/index.ts";
import { encodingOf, isSmartEncoded } from "../messages/index.ts";
import type { OutboundDeps } from "../outbound/index.ts";
import {
  checkLiveSender,
  consentRefusals,
  deferralOf,
  encodeBody,
  inContactZone,
  isOptedOut,
  type OutboundRequest,
  priceOf,
} from "../outbound/index.ts";

/** Previews body, price and refusals of a message without storing it. */
export async function previewMessage(
  deps: OutboundDeps,
  request: OutboundRequest,
  number: Sender,
): Promise<MessagePreview> {
  const encoded = encodeBody(request.account, request.body);
  const { body, segments, ucs2Characters } = encoded;
  const blockedBy: string[] = [];
  if (request.mode === "live") {
    await checkLiveSender(deps, request.account, number, request.to).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      blockedBy.push(error.code);
    });
  }
  if (await isOptedOut(deps, request)) blockedBy.push("recipient_opted_out");
  const refusal = (await consentRefusals(deps, deps.db, [request])).get(0);
  if (refusal !== undefined) blockedBy.push(refusal);
  const priceMicros =
    request.mode === "live" ? await livePrice(deps, request, segments, blockedBy) : 0;
  return {
    object: "message_preview",
    to: request.to,
    from: request.from,
    body,
    encoding: encodingOf(encoded),
    smart_encoded: isSmartEncoded(encoded),
    segments,
    price: microsToUsd(priceMicros),
    ucs2_characters: [...ucs2Characters],
    quiet_until: await quietUntilOf(deps, request),
    blocked_by: blockedBy,
  };
}

async function livePrice(
  deps: OutboundDeps,
  request: OutboundRequest,
  segments: number,
  blockedBy: string[],
): Promise<number> {
  const { account } = request;
  const owner = { shard: account.shard, accountId: account.id };
  const used = await quotaUsed(deps.db, owner, deps.clock.now());
  const quota = dailyQuotaOf(deps.config, account);
  if (quota !== null && used >= quota) blockedBy.push("quota_exceeded");
  if (deps.config.billing === "off") return 0;
  const balance = await deps.balances.add(account);
  if (balance.messagesLeft > 0) return 0;
  const price = priceOf(deps, request, segments);
  const isOverLimit = balance.roomMicros !== null && balance.roomMicros < price;
  if (price > 0 && isOverLimit) blockedBy.push("spend_limit_reached");
  const isTooLittle = balance.balanceMicros < price;
  if (isTooLittle && !blockedBy.includes("insufficient_credits")) {
    blockedBy.push("insufficient_credits");
  }
  return price;
}

/** Time until which quiet hours would hold the message; answers are never held. */
async function quietUntilOf(deps: OutboundDeps, request: OutboundRequest): Promise<string | null> {
  const deferral = await deferralOf(deps, await inContactZone(deps, request));
  return typeof deferral === "number" ? formatTimestamp(deferral) : null;
}
