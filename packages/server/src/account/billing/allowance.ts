import { FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract";
import type { Owner } from "../base.ts";
import type { Queryable, Step, Tx } from "../db/database.ts";
import { dayOf, monthOf } from "../platform/clock.ts";
import { lockMoney, readQuotaUse, takeFreeVerifications } from "./sql.ts";

/** What an account can pay with, read under the lock of its counters. */
export interface Money {
  readonly availableMicros: number;
  readonly freeVerifications: number;
  /** What the account's own spend limit leaves of the month; null without one. */
  readonly roomMicros: number | null;
}

interface MoneyRow {
  readonly account_id: string;
  readonly available_micros: number;
  readonly allowance_month: string;
  readonly verifications_used: number;
  readonly room_micros: number | null;
}

/** Locks the counters of accounts of one shard, in one order for everybody, and reads their money. */
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

/** Takes so many verifications from the month's allowance, in the caller's transaction. */
export function takeFreeStep(owner: Owner, taken: number, nowMs: number): Step {
  const values = [owner.shard, owner.accountId, monthOf(nowMs), taken];
  return { statement: takeFreeVerifications, values };
}

/** How many live texts of today's quota are used. */
export async function quotaUsed(db: Queryable, owner: Owner, nowMs: number): Promise<number> {
  const [row] = await db.query<{ quota_used: number }>(readQuotaUse, [
    owner.shard,
    owner.accountId,
    dayOf(nowMs),
  ]);
  return row?.quota_used ?? 0;
}
