import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";

/** Approved verifications of one UTC day. */
export interface VerifiedDay {
  readonly day: string;
  readonly count: number;
  readonly cost_micros: number;
}

const countVerifiedByDay = statement(
  "count_verified_by_day",
  `select (created_at at time zone 'UTC')::date as day, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and customer_id = $3 and mode = $4
      and id >= $5 and id < $6 and status = 'approved'
    group by 1`,
  { profile: "scans" },
);

/** Approved verifications of the whole account by day. */
const countAccountVerifiedByDay = statement(
  "count_account_verified_by_day",
  `select (created_at at time zone 'UTC')::date as day, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and mode = $3 and id >= $4 and id < $5 and status = 'approved'
    group by 1`,
  { profile: "scans" },
);

/** Approved verifications by the UTC day of their start: of one customer, or of the whole account. */
export function countVerified(
  deps: Base,
  account: AccountRef,
  filter: {
    readonly customerId: string | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<VerifiedDay[]> {
  const { shard, id } = account;
  const values = [filter.mode, firstUuidAt(filter.fromMs), firstUuidAt(filter.beforeMs)];
  return filter.customerId === null
    ? deps.db.query<VerifiedDay>(countAccountVerifiedByDay, [shard, id, ...values])
    : deps.db.query<VerifiedDay>(countVerifiedByDay, [shard, id, filter.customerId, ...values]);
}
