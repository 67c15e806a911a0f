import type { FailureCode, Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { sumBetween, sumFailures } from "./sql.ts";
import { failedOf, type Tally } from "./tally.ts";

/** Messages read at most, so that the count takes no longer than a page can wait. */
const FAILURES_READ_MAX = 10_000;

interface Counted<K> {
  readonly key: K;
  count: number;
}

export interface FailureCounts {
  /** Most frequent first. */
  readonly byReason: readonly Counted<FailureCode>[];
  /** null: the message went to no carrier. */
  readonly byCarrier: readonly Counted<string | null>[];
  readonly counted: number;
  /** Older failures were not counted. */
  readonly isPartial: boolean;
}

/** Counts the newest failed messages created since `fromMs`, by reason and by carrier. */
export async function countFailures(
  { db }: Pick<Base, "db">,
  { account, mode, fromMs }: { account: AccountRef; mode: Mode; fromMs: number },
): Promise<FailureCounts> {
  const rows = await db.query<{ code: FailureCode; carrier: string | null; count: number }>(
    sumFailures,
    [account.shard, account.id, mode, firstUuidAt(fromMs), FAILURES_READ_MAX],
  );
  const counted = rows.reduce((total, row) => total + row.count, 0);
  return {
    byReason: sumBy(rows, (row) => row.code),
    byCarrier: sumBy(rows, (row) => row.carrier),
    counted,
    isPartial: counted === FAILURES_READ_MAX,
  };
}

function sumBy<R extends { readonly count: number }, K>(
  rows: readonly R[],
  keyOf: (row: R) => K,
): Counted<K>[] {
  const sums = new Map<K, Counted<K>>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { key: keyOf(row), count: 0 };
    sum.count += row.count;
    sums.set(sum.key, sum);
  }
  return [...sums.values()].sort((a, b) => b.count - a.count);
}

/** Sums of the hours in [fromMs, beforeMs). */
export async function sumPeriod(
  { db }: Pick<Base, "db">,
  account: AccountRef,
  period: { readonly mode: Mode; readonly fromMs: number; readonly beforeMs: number },
): Promise<{ sent: number; delivered: number; failed: number }> {
  const bounds = [new Date(period.fromMs), new Date(period.beforeMs)];
  const values = [account.shard, account.id, period.mode, ...bounds];
  const [sum] = await db.query<Tally>(sumBetween, values);
  if (!sum) return { sent: 0, delivered: 0, failed: 0 };
  return { sent: sum.sent, delivered: sum.delivered, failed: failedOf(sum) };
}
