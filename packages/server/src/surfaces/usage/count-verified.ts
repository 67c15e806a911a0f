import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { WHOLE_ACCOUNT } from "./stored-days.ts";

/** Approved verifications of one UTC day, of a customer or (`WHOLE_ACCOUNT`) of the account. */
export interface VerifiedDay {
  readonly customer_id: string;
  readonly day: string;
  readonly count: number;
  readonly cost_micros: number;
}

const countVerifiedByDay = statement(
  "count_verified_by_day",
  `select customer_id, (created_at at time zone 'UTC')::date as day, count(*)::int as count,
          sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and customer_id = any($3::uuid[]) and mode = $4
      and id >= $5 and id < $6 and status = 'approved'
    group by 1, 2`,
  { profile: "scans" },
);

/** Approved verifications of the whole account by day. */
const countAccountVerifiedByDay = statement(
  "count_account_verified_by_day",
  `select '${WHOLE_ACCOUNT}'::uuid as customer_id, (created_at at time zone 'UTC')::date as day,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and mode = $3 and id >= $4 and id < $5 and status = 'approved'
    group by 1, 2`,
  { profile: "scans" },
);

/** Approved verifications by the UTC day of their start: of some customers, or of the whole account. */
export function countVerified(
  deps: Base,
  account: AccountRef,
  filter: {
    /** UUIDs; null: the whole account. */
    readonly customerIds: readonly string[] | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<VerifiedDay[]> {
  const { shard, id } = account;
  const values = [filter.mode, firstUuidAt(filter.fromMs), firstUuidAt(filter.beforeMs)];
  return filter.customerIds === null
    ? deps.db.query<VerifiedDay>(countAccountVerifiedByDay, [shard, id, ...values])
    : deps.db.query<VerifiedDay>(countVerifiedByDay, [shard, id, filter.customerIds, ...values]);
}
