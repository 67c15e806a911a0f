import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { calendarDays } from "./calendar-days.ts";
import { type CountedRow, namedDays, startsOf, type UsageQuery } from "./count-messages.ts";
import { WHOLE_ACCOUNT } from "./stored-days.ts";

/** Approved verifications of one calendar day, of a customer or (`WHOLE_ACCOUNT`) of the account. */
export interface VerifiedDay {
  readonly customer_id: string;
  readonly day: string;
  readonly count: number;
  readonly cost_micros: number;
}

const countVerifiedByDay = statement(
  "count_verified_by_day",
  `select customer_id, greatest(1, width_bucket(created_at, $7::timestamptz[])) as day_at,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and customer_id = any($3::uuid[]) and mode = $4
      and id >= $5 and id < $6 and status = 'approved'
    group by 1, 2`,
  { profile: "scans" },
);

/** Approved verifications of the whole account by day. */
const countAccountVerifiedByDay = statement(
  "count_account_verified_by_day",
  `select '${WHOLE_ACCOUNT}'::uuid as customer_id,
          greatest(1, width_bucket(created_at, $6::timestamptz[])) as day_at,
          count(*)::int as count, sum(price_micros)::bigint as cost_micros
     from verifications
    where shard = $1 and account_id = $2 and mode = $3 and id >= $4 and id < $5 and status = 'approved'
    group by 1, 2`,
  { profile: "scans" },
);

/** Approved verifications by the day of their start: of some customers, or of the whole account. */
export async function countVerified(
  deps: Base,
  account: AccountRef,
  { customerIds, mode, fromMs, beforeMs, zone }: UsageQuery,
): Promise<VerifiedDay[]> {
  const { shard, id } = account;
  const days = calendarDays(fromMs, beforeMs, zone);
  const values = [mode, firstUuidAt(fromMs), firstUuidAt(beforeMs), startsOf(days)];
  const rows =
    customerIds === null
      ? await deps.db.query<CountedRow<VerifiedDay>>(countAccountVerifiedByDay, [
          shard,
          id,
          ...values,
        ])
      : await deps.db.query<CountedRow<VerifiedDay>>(countVerifiedByDay, [
          shard,
          id,
          customerIds,
          ...values,
        ]);
  return namedDays<VerifiedDay>(rows, days);
}
