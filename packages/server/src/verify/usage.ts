import { type Mode, PRICE_VERIFICATION_MICROS } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { statement } from "../db/statement.ts";
import { firstUuidAt } from "../platform/ids.ts";

/** What one UTC day brought. */
export interface VerifiedDay {
  readonly day: string;
  readonly count: number;
  readonly cost_micros: number;
}

const countVerifiedByDay = statement(
  "count_verified_by_day",
  `select (created_at at time zone 'UTC')::date as day, count(*)::int as count,
          (count(*) filter (where charged)) * $7::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and customer_id = $3 and mode = $4
      and id >= $5 and id < $6 and status = 'approved'
    group by 1`,
);

/** A customer's successful verifications by the day they were started. */
export function countVerified(
  deps: Base,
  account: AccountRef,
  wanted: {
    readonly customerId: string;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<VerifiedDay[]> {
  return deps.db.query<VerifiedDay>(countVerifiedByDay, [
    account.shard,
    account.id,
    wanted.customerId,
    wanted.mode,
    firstUuidAt(wanted.fromMs),
    firstUuidAt(wanted.beforeMs),
    PRICE_VERIFICATION_MICROS,
  ]);
}
