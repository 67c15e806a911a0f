import { DAILY_LIVE_QUOTA_DEFAULT_MESSAGES } from "@longwave/contract";
import type { Config } from "../../core/config/config.ts";
import type { AccountRow } from "../../http/api/caller.ts";

/** Live messages that an account may send per UTC day; null: any number. */
export function dailyQuotaOf(
  { billing }: Pick<Config, "billing">,
  { daily_message_quota: own }: Pick<AccountRow, "daily_message_quota">,
): number | null {
  return own ?? (billing === "off" ? null : DAILY_LIVE_QUOTA_DEFAULT_MESSAGES);
}
