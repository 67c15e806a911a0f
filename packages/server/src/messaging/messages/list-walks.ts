import type { AccountRow } from "../accounts/index.ts";
import { type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import type { Direction, Filters } from "./list-filters.ts";

/** Whose texts are listed. */
export type Listed = Pick<AccountRow, "shard" | "id">;

/** A walk through the texts of a number or of a customer. */
export interface Walk {
  readonly directions: readonly Direction[];
  /** Whose index is walked along. That of numbers has no texts from the service's own, that of customers has. */
  readonly by: "number" | "customer";
  /** On numbers and customer; all else is the same for every walk. */
  readonly where: Fragment;
}

/** From which id on and before which other, and how many at most. */
export interface Stretch {
  readonly first: Fragment;
  readonly before: Fragment;
  readonly limit: Fragment;
}

/**
 * By number or customer: each direction is walked by itself. A text from a number to itself is found by
 * two walks. With `serviceToo` texts from the service's own numbers may be among them: where
 * those are left out later, the index alone says all that a walk asks for.
 */
export function walkBySubject(
  account: Listed,
  filters: Filters,
  walks: readonly Walk[],
  { first, before, limit }: Stretch,
  serviceToo = false,
): Fragment {
  const each = walks.map(
    (walk) => sql`
      select walk.id from unnest(${walk.directions}::text[]) as x (direction) cross join lateral (
        select m.id from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.direction = x.direction
           and m.id >= ${first} and m.id < ${before}
           ${ofKind("m", filters)} ${walk.where} ${serviceToo && walk.by === "customer" ? sql`` : sql`and not m.from_service`}
         order by m.id desc limit ${limit}) as walk`,
  );
  return join(each, " union all ");
}

export function ofKind(table: "m" | "s", { simulated }: Filters): Fragment {
  return simulated === null ? sql`` : sql`and ${raw(table)}.simulated = ${simulated}`;
}
