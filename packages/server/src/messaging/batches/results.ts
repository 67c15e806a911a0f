import {
  BATCH_REPLY_WINDOW_HOURS,
  type BatchResults,
  FAILURES,
  type FailureCode,
  type MessageStatus,
  matchKeyword,
  microsToUsd,
  NO_RECEIPT_HOURS,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { batchOutcomes, type OutcomeSum, receivedSince } from "../messages/index.ts";
import type { BatchRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { keep } from "./results-cache.ts";
import { countFailedUnsent, countStops, readResultsVersion, readSent } from "./sql.ts";

const HOUR_MS = 3_600_000;
/** Bounds the age of counts that change with time alone, such as `no_receipt`. */
const CACHE_AGE_MS_MAX = 60_000;
/** Received messages searched for replies; beyond this, the count is partial. */
const RECEIVED_TEXTS_READ_MAX = 10_000;

/** GET /batches/{id}/results. Concurrent requests share one read. */
export async function resultsOf(
  deps: Deps,
  account: AccountRow,
  batch: BatchRow,
): Promise<BatchResults> {
  const [row] = await deps.db.query<{ event_seq: number; consent_seq: number }>(
    readResultsVersion,
    [batch.shard, batch.account_id],
  );
  const version = [row?.event_seq, row?.consent_seq, batch.status].join(" ");
  const now = deps.clock.now();
  const cached = deps.batchResults.get(batch.id);
  if (cached?.version === version && now - cached.readAtMs < CACHE_AGE_MS_MAX) {
    return cached.results;
  }
  const results = readResults(deps, account, batch);
  keep(deps.batchResults, batch.id, { version, readAtMs: now, results });
  return results;
}

/** Reads the outcome of a batch from its messages, recipients and replies. */
async function readResults(
  deps: Deps,
  account: AccountRow,
  batch: BatchRow,
): Promise<BatchResults> {
  const now = deps.clock.now();
  const windowEnd = Math.min(now, windowEndOf(batch));
  const [sums, unsent, replies, [stopped]] = await Promise.all([
    batchOutcomes(deps.db, batch, now - NO_RECEIPT_HOURS * HOUR_MS),
    deps.db.query<FailureSum>(countFailedUnsent, [batch.shard, batch.id]),
    countReplies(deps, account, batch, windowEnd),
    deps.db.query<{ stops: number }>(countStops, [batch.shard, batch.id, new Date(windowEnd)]),
  ]);
  // A recipient canceled or skipped while its message waited counts neither as attempted nor as failed.
  const outcomes = sums.filter((sum) => !isNeverAttempted(sum));
  const delivered = recipientsOf(outcomes, "delivered");
  const failed = recipientsOf(outcomes, "failed");
  const pending = recipientsOf(outcomes, "sent");
  const silent = outcomes.reduce((sum, one) => sum + one.sent_long_ago, 0);
  return {
    object: "batch_results",
    batch_id: toApiId("batch", batch.id),
    attempted: delivered + failed + pending,
    delivered,
    failed,
    pending,
    no_receipt: silent,
    replies: replies.count,
    stops: stopped?.stops ?? 0,
    spent_usd: microsToUsd(outcomes.reduce((sum, one) => sum + one.price_micros, 0)),
    failures: failuresOf([...outcomes.filter((sum) => sum.status === "failed"), ...unsent]),
    partial: replies.isPartial,
    reply_window_hours: BATCH_REPLY_WINDOW_HOURS,
  };
}

/** End of the reply window; infinite until the batch is complete or canceled. */
function windowEndOf(batch: BatchRow): number {
  const endedAt = batch.completed_at ?? batch.canceled_at;
  return endedAt === null ? Number.POSITIVE_INFINITY : endedAt + BATCH_REPLY_WINDOW_HOURS * HOUR_MS;
}

const NEVER_ATTEMPTED: readonly (FailureCode | null)[] = [
  "canceled",
  "recipient_opted_out",
  "opt_in_required",
  "topic_unsubscribed",
];

function isNeverAttempted({ failure_code, was_sent }: OutcomeSum): boolean {
  return !was_sent && NEVER_ATTEMPTED.includes(failure_code);
}

function recipientsOf(outcomes: readonly OutcomeSum[], status: MessageStatus): number {
  return outcomes.reduce((sum, one) => sum + (one.status === status ? one.recipients : 0), 0);
}

type FailureSum = Pick<OutcomeSum, "failure_code" | "recipients">;

function failuresOf(sums: readonly FailureSum[]): BatchResults["failures"] {
  const counts = new Map<FailureCode, number>();
  for (const { failure_code, recipients } of sums) {
    const code = failure_code as FailureCode;
    counts.set(code, (counts.get(code) ?? 0) + recipients);
  }
  return [...counts]
    .map(([code, count]) => ({ code, title: FAILURES[code].title, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

/** Counts messages from recipients after they were sent theirs, without keywords. */
async function countReplies(
  deps: Deps,
  account: AccountRow,
  batch: BatchRow,
  untilMs: number,
): Promise<{ count: number; isPartial: boolean }> {
  const received = await receivedSince(deps.db, batch, untilMs + 1, RECEIVED_TEXTS_READ_MAX + 1);
  if (received.length === 0) return { count: 0, isPartial: false };
  const phones = [...new Set(received.map((message) => message.from_number))];
  const sent = await deps.db.query<{ to_number: string; updated_at: number }>(readSent, [
    batch.shard,
    batch.id,
    phones,
  ]);
  const sentAt = new Map(sent.map((row) => [row.to_number, row.updated_at]));
  const replies = received.filter(({ from_number, created_at, body }) => {
    const since = sentAt.get(from_number);
    return since !== undefined && created_at >= since && !isKeyword(account, body);
  });
  const isPartial = received.length > RECEIVED_TEXTS_READ_MAX;
  return { count: replies.length, isPartial };
}

/** STOP, START and HELP speak to the service; so does a plain request that opts out. */
function isKeyword(account: AccountRow, body: string): boolean {
  const match = matchKeyword(body, { optedOut: true });
  return match?.match === "keyword" || (match !== null && account.phrase_opt_out === "opt_out");
}
