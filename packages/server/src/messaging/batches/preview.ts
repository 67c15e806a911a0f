import { BATCH_PREVIEW_TEXTS_MAX, type BatchValidation, microsToUsd } from "@longwave/contract";
import type { Principal } from "../accounts/index.ts";
import { priceOf, writtenFor } from "../handover/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { countReason, type SeeText, type Validation } from "./validate.ts";

/** What is known of the texts of a dry run once each was seen. */
export interface SeenTexts {
  readonly see: SeeText;
  /** Of each text, in the order of the rows. */
  readonly segments: readonly number[];
  /** The first ones, as they would be sent. */
  readonly first: readonly { readonly to: string; readonly body: string }[];
}

export function createSeenTexts(account: Principal["account"]): SeenTexts {
  const segments: number[] = [];
  const first: { to: string; body: string }[] = [];
  return {
    segments,
    first,
    see(to, text) {
      const written = writtenFor(account, text);
      segments.push(written.segments);
      if (first.length < BATCH_PREVIEW_TEXTS_MAX) first.push({ to, body: written.body });
    },
  };
}

/** What a batch would do and cost, for a dry run. */
export async function previewBatch(
  deps: Deps,
  caller: Principal,
  options: { readonly checkLineTypes: boolean },
  { total, valid, rejected }: Validation,
  { segments, first }: SeenTexts,
): Promise<BatchValidation> {
  return {
    object: "batch_validation",
    total,
    valid: valid.length,
    rejected: [...rejected],
    duplicates: countReason(rejected, "duplicate"),
    opted_out: countReason(rejected, "opted_out"),
    malformed: countReason(rejected, "malformed"),
    landlines: options.checkLineTypes ? countReason(rejected, "landline") : null,
    segments: {
      min: segments.reduce((least, count) => Math.min(least, count), segments[0] ?? 0),
      max: segments.reduce((most, count) => Math.max(most, count), 0),
      total: segments.reduce((sum, count) => sum + count, 0),
    },
    estimated_cost_usd: microsToUsd(await costMicros(deps, caller, segments)),
    preview: [...first],
  };
}

/** What these texts would cost if they were sent now: the first ones may still be free. */
async function costMicros(
  deps: Deps,
  caller: Principal,
  segments: readonly number[],
): Promise<number> {
  if (caller.mode === "test") return 0;
  const { textsLeft } = await deps.standings.add(caller.account);
  return segments.slice(textsLeft).reduce((sum, count) => sum + priceOf(deps, count), 0);
}
