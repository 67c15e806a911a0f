import { FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract";
import type { Owner } from "../../core/base.ts";
import type { Queryable, Step, Tx } from "../../core/db/driver/database.ts";
import { dayOf, monthOf } from "../../core/platform/clock.ts";
import { lockMoney, readQuotaUse, takeFreeVerifications } from "./sql.ts";

/** Funds of an account, read under the lock of its counters. */
export interface Money {
  readonly availableMicros: number;
  readonly freeVerifications: number;
  /** Remainder of the month's spend limit; null without a limit. */
  readonly roomMicros: number | null;
}

interface MoneyRow {
  readonly account_id: string;
  readonly available_micros: number;
  readonly allowance_month: string;
  readonly verifications_used: number;
  readonly room_micros: number | null;
}

/** Locks the counters of accounts of one shard, in a fixed order, and reads their funds. */
export async function lockAccountsMoney(
  tx: Tx,
  shard: number,
  accountIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, Money>> {
  const month = monthOf(nowMs);
  const rows = await tx.query<MoneyRow>(lockMoney, [shard, accountIds, month]);
  return new Map(
    rows.map((row) => {
      const used = row.allowance_month === month ? row.verifications_used : 0;
      const freeVerifications = Math.max(0, FREE_VERIFICATIONS_PER_MONTH - used);
      const { available_micros: availableMicros, room_micros: roomMicros } = row;
      return [row.account_id, { availableMicros, freeVerifications, roomMicros }];
    }),
  );
}

/** Takes verifications from the month's allowance, in the caller's transaction. */
export function takeFreeVerificationsStep(owner: Owner, taken: number, nowMs: number): Step {
  const values = [owner.shard, owner.accountId, monthOf(nowMs), taken];
  return { statement: takeFreeVerifications, values };
}

/** Live messages used of today's quota. */
export async function quotaUsed(db: Queryable, owner: Owner, nowMs: number): Promise<number> {
  const [row] = await db.query<{ quota_used: number }>(readQuotaUse, [
    owner.shard,
    owner.accountId,
    dayOf(nowMs),
  ]);
  return row?.quota_used ?? 0;
}
