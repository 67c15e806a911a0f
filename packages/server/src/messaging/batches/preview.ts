import {
  BATCH_PREVIEW_TEXTS_MAX,
  type BatchValidation,
  formatTimestamp,
  microsToUsd,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { deferralsOf, encodeBody, priceOf } from "../outbound/index.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { countReason, type OnBody, type Validation } from "./validate-rows.ts";

/** Bodies of a dry run: segment counts of all, and the first ones in full. */
export interface Preview {
  readonly add: OnBody;
  /** Segments of each message, in row order. */
  readonly segments: readonly number[];
  /** Recipient of each message, in row order. */
  readonly recipients: readonly string[];
  /** The first `BATCH_PREVIEW_TEXTS_MAX` messages as they would be sent. */
  readonly first: readonly { readonly to: string; readonly body: string }[];
}

export function createPreview(account: Principal["account"]): Preview {
  const segments: number[] = [];
  const recipients: string[] = [];
  const first: { to: string; body: string }[] = [];
  return {
    segments,
    recipients,
    first,
    add(to, body) {
      const encoded = encodeBody(account, body);
      segments.push(encoded.segments);
      recipients.push(to);
      if (first.length < BATCH_PREVIEW_TEXTS_MAX) first.push({ to, body: encoded.body });
    },
  };
}

/** Answer of a dry run: the validation, segments, cost and first messages. */
export async function previewBatch(
  deps: Deps,
  caller: Principal,
  options: {
    readonly checkLineTypes: boolean;
    readonly from: string;
    readonly quietHours: number | null;
    /** Time at which the batch would begin. */
    readonly atMs: number;
  },
  { total, valid, rejected }: Validation,
  { segments, recipients, first }: Preview,
): Promise<BatchValidation> {
  const ends = await deferralsOf(deps, caller.account, options, recipients);
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
    estimated_cost_usd: microsToUsd(
      await costMicros(deps, caller, options.from, { segments, recipients }),
    ),
    waiting: {
      count: ends.length,
      until: ends.length === 0 ? null : formatTimestamp(ends.reduce((a, b) => Math.max(a, b))),
    },
    preview: [...first],
  };
}

/** Cost of the messages if they were sent now, after the free messages left of the month. */
async function costMicros(
  deps: Deps,
  caller: Principal,
  from: string,
  { segments, recipients }: Pick<Preview, "segments" | "recipients">,
): Promise<number> {
  if (caller.mode === "test") return 0;
  const { messagesLeft } = await deps.balances.add(caller.account);
  return segments.reduce((sum, count, index) => {
    const isFree = index < messagesLeft;
    return isFree ? sum : sum + priceOf(deps, { from, to: recipients[index] ?? "" }, count);
  }, 0);
}
