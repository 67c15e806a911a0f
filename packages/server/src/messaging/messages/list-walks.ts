import type { AccountRow } from "../../account/accounts/index.ts";
import { type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { Direction, Filters } from "./list-filters.ts";

/** Account whose messages are listed. */
export type Listed = Pick<AccountRow, "shard" | "id">;

/** Walk along the messages of a number or a customer. */
export interface Walk {
  readonly directions: readonly Direction[];
  /** Index to walk. Only the customer index includes messages from the service's own numbers. */
  readonly by: "number" | "customer";
  /** Condition on numbers and customer; the other conditions are the same for every walk. */
  readonly where: Fragment;
}

/** Id bounds [first, before) and the maximum number of ids. */
export interface IdRange {
  readonly first: Fragment;
  readonly before: Fragment;
  readonly limit: Fragment;
}

/**
 * Walks by number or customer, each direction separately. A message from a number to itself appears twice.
 *
 * With `includesService` the walk may return messages from the service's own numbers. If the caller drops them later,
 * the index alone answers the walk.
 */
export function walkBySubject(
  account: Listed,
  filters: Filters,
  walks: readonly Walk[],
  { first, before, limit }: IdRange,
  includesService = false,
): Fragment {
  const each = walks.map(
    (walk) => sql`
      select walk.id from unnest(${walk.directions}::text[]) as x (direction) cross join lateral (
        select m.id from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.mode = ${filters.mode}
           and m.direction = x.direction and m.id >= ${first} and m.id < ${before}
           ${ofKind("m", filters)} ${walk.where} ${includesService && walk.by === "customer" ? sql`` : sql`and not m.from_service`}
         order by m.id desc limit ${limit}) as walk`,
  );
  return join(each, " union all ");
}

export function ofKind(table: "m" | "s", { simulated }: Filters): Fragment {
  return simulated === null ? sql`` : sql`and ${raw(table)}.simulated = ${simulated}`;
}
