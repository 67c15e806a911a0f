import type { NetworkLimits } from "@longwave/contract";
import type { Call, Fields } from "./calls.ts";

/**
 * Daily caps of T-Mobile by the tier of a brand: support.twilio.com/hc/articles/1260804800549 has the caps. The names of
 * the tiers, and that Telnyx passes them and `tpm` on, are unconfirmed; without them a campaign has no limits here.
 */
// biome-ignore format: one tier per line
const SEGMENTS_PER_DAY: Readonly<Record<string, number>> = {
  TOP:      200_000,
  HIGH_MID: 40_000,
  LOW_MID:  10_000,
  LOW:      2_000,
};

/** Limits that networks granted a campaign; null if Telnyx does not say it now. */
export async function grantedLimits(
  call: Call,
  reference: string,
  signal: AbortSignal,
): Promise<readonly NetworkLimits[] | null> {
  const path = `campaign/${encodeURIComponent(reference)}/mnoMetadata`;
  const answer = await call("GET", path, null, signal);
  return answer.kind === "done" ? Object.values(answer.body).flatMap(limitsOf) : null;
}

function limitsOf(value: unknown): NetworkLimits[] {
  if (typeof value !== "object" || value === null) return [];
  const { mno, tpm, brandTier } = value as Fields;
  const segments_per_minute = typeof tpm === "number" && tpm >= 1 ? Math.floor(tpm) : null;
  const segments_per_day =
    typeof brandTier === "string" ? (SEGMENTS_PER_DAY[brandTier] ?? null) : null;
  if (typeof mno !== "string" || (segments_per_minute ?? segments_per_day) === null) return [];
  return [{ network: mno, segments_per_minute, segments_per_day }];
}
