import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";

const HOUR_MS = 3_600_000;
/** Attempts read at most, so that the count takes no longer than a page can wait. */
const ATTEMPTS_READ_MAX = 100_000;

/** Counts of the hours with the first ids $6, of the newest $7 attempts: two walks along indexes. */
const countAttempts = statement(
  "count_webhook_attempts",
  `with attempts as (
     select id from webhook_deliveries
      where shard = $1 and account_id = $2 and mode = $3 and endpoint_id = $4 and id >= $5 order by id desc limit $7
   ), failures as (
     select id from webhook_deliveries
      where shard = $1 and account_id = $2 and mode = $3 and endpoint_id = $4 and id >= $5 and not ok
      order by id desc limit $7
   )
   select width_bucket(id, $6::uuid[]) as hour_at, count(*)::int as attempts, 0 as failed from attempts group by 1
   union all
   select width_bucket(id, $6::uuid[]), 0, count(*)::int from failures group by 1`,
  { profile: "scans" },
);

export interface HourOfAttempts {
  readonly hourMs: number;
  delivered: number;
  failed: number;
}

interface AttemptsQuery {
  readonly account: AccountRef;
  readonly mode: Mode;
  readonly endpointId: string;
  readonly hours: number;
}

/** Attempts at an endpoint by hour, the present hour included. */
export async function countAttemptsByHour(
  { db, clock }: Pick<Base, "db" | "clock">,
  { account, mode, endpointId, hours }: AttemptsQuery,
): Promise<{ hours: readonly HourOfAttempts[]; isPartial: boolean }> {
  const fromMs = (Math.floor(clock.now() / HOUR_MS) + 1 - hours) * HOUR_MS;
  const sums = Array.from({ length: hours }, (_, index): HourOfAttempts => {
    return { hourMs: fromMs + index * HOUR_MS, delivered: 0, failed: 0 };
  });
  const starts = sums.map(({ hourMs }) => firstUuidAt(hourMs));
  const rows = await db.query<{ hour_at: number; attempts: number; failed: number }>(
    countAttempts,
    [account.shard, account.id, mode, endpointId, starts[0], starts, ATTEMPTS_READ_MAX],
  );
  let read = 0;
  for (const { hour_at, attempts, failed } of rows) {
    const sum = sums[hour_at - 1];
    read += attempts;
    if (!sum) continue;
    sum.delivered += attempts - failed;
    sum.failed += failed;
  }
  return { hours: sums, isPartial: read === ATTEMPTS_READ_MAX };
}
