import { type MessagePreview, microsToUsd, Problem } from "@longwave/contract";
import { quotaUsed } from "../billing/index.ts";
import type { HandoverDeps } from "../handover/index.ts";
import {
  checkLiveSender,
  encodingOf,
  isOptedOut,
  isSmartEncoded,
  priceOf,
  type Wanted,
  writtenFor,
} from "../handover/index.ts";
import type { Sender } from "../numbers/index.ts";

/** What would be sent, what it would cost, and what would refuse it. Nothing is stored. */
export async function previewMessage(
  deps: HandoverDeps,
  wanted: Wanted,
  number: Sender,
): Promise<MessagePreview> {
  const written = writtenFor(wanted.account, wanted.body);
  const { body, segments, ucs2Characters } = written;
  const blockedBy: string[] = [];
  if (wanted.mode === "live") {
    await checkLiveSender(deps, wanted.account, number, wanted.to).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      blockedBy.push(error.code);
    });
  }
  if (await isOptedOut(deps, wanted)) blockedBy.push("recipient_opted_out");
  const priceMicros =
    wanted.mode === "live" ? await livePrice(deps, wanted, segments, blockedBy) : 0;
  return {
    object: "message_preview",
    to: wanted.to,
    from: wanted.from,
    body,
    encoding: encodingOf(written),
    smart_encoded: isSmartEncoded(written),
    segments,
    price: microsToUsd(priceMicros),
    ucs2_characters: [...ucs2Characters],
    blocked_by: blockedBy,
  };
}

async function livePrice(
  deps: HandoverDeps,
  wanted: Wanted,
  segments: number,
  blockedBy: string[],
): Promise<number> {
  const { account } = wanted;
  const owner = { shard: account.shard, accountId: account.id };
  const used = await quotaUsed(deps.db, owner, deps.clock.now());
  if (used >= account.daily_message_quota) blockedBy.push("quota_exceeded");
  const standing = await deps.standings.add(account);
  if (standing.textsLeft > 0) return 0;
  const price = priceOf(deps, segments);
  const isOverLimit = standing.roomMicros !== null && standing.roomMicros < price;
  if (price > 0 && isOverLimit) blockedBy.push("spend_limit_reached");
  const isTooLittle = standing.balanceMicros < price;
  if (isTooLittle && !blockedBy.includes("insufficient_credits")) {
    blockedBy.push("insufficient_credits");
  }
  return price;
}
