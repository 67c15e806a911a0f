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
  { profile: "scans" },
);

/** The same for all of an account. */
const countAccountVerifiedByDay = statement(
  "count_account_verified_by_day",
  `select (created_at at time zone 'UTC')::date as day, count(*)::int as count,
          (count(*) filter (where charged)) * $6::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and mode = $3 and id >= $4 and id < $5 and status = 'approved'
    group by 1`,
  { profile: "scans" },
);

/** Successful verifications by the day they were started: a customer's, or all of them. */
export function countVerified(
  deps: Base,
  account: AccountRef,
  wanted: {
    readonly customerId: string | null;
    readonly mode: Mode;
    readonly fromMs: number;
    readonly beforeMs: number;
  },
): Promise<VerifiedDay[]> {
  const { shard, id } = account;
  const values = [
    wanted.mode,
    firstUuidAt(wanted.fromMs),
    firstUuidAt(wanted.beforeMs),
    PRICE_VERIFICATION_MICROS,
  ];
  return wanted.customerId === null
    ? deps.db.query<VerifiedDay>(countAccountVerifiedByDay, [shard, id, ...values])
    : deps.db.query<VerifiedDay>(countVerifiedByDay, [shard, id, wanted.customerId, ...values]);
}
