import { BATCH_PREVIEW_TEXTS_MAX, type BatchValidation, microsToUsd } from "@longwave/contract";
import type { Principal } from "../accounts/index.ts";
import { priceOf, writtenFor } from "../handover/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { countReason, type Validation } from "./validate.ts";

/** What a batch would do and cost, for a dry run. */
export async function previewBatch(
  deps: Deps,
  caller: Principal,
  options: { readonly checkLineTypes: boolean },
  { total, valid, rejected }: Validation,
): Promise<BatchValidation> {
  const written = valid.map((row) => writtenFor(caller.account, row.text));
  const segments = written.map((text) => text.segments);
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
    preview: valid
      .slice(0, BATCH_PREVIEW_TEXTS_MAX)
      .map(({ to, text }, index) => ({ to, body: written[index]?.body ?? text })),
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
