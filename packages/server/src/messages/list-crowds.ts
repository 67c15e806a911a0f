import type { AccountRow } from "../accounts/index.ts";
import type { Base } from "../base.ts";
import { statement } from "../db/statement.ts";
import { type Filters, hasSubject, isEveryStatus } from "./list-filters.ts";

/** Where a number stands in a text. */
export type End = "from_number" | "to_number";

/** What has so many texts that a list does better not to walk through them. */
export interface Crowds {
  readonly busyEnds: readonly End[];
  /** The statuses asked for have few texts, and what else is asked for has many: they are walked by. */
  readonly isStatusRare: boolean;
}

/** More texts of one number than this are not looked through for those of a customer. */
const QUIET_TEXTS_MAX = 1_000;
/** More texts of one number or customer than this are not looked through for those of a rare status. */
const SUBJECT_TEXTS_MAX = 2_000;
const RARE_TEXTS_MAX = 10_000;

const NO_CROWDS: Crowds = { busyEnds: [], isStatusRare: false };

const countAtEnds = statement(
  "count_texts_at_ends",
  `select (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.from_number = $3 and not m.from_service
                and m.direction = 'outbound' limit $5) as sent)::int as from_number,
          (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.to_number = $4 and not m.from_service
                and m.direction = 'inbound' limit $5) as received)::int as to_number`,
);

/** $3 to $5: either end's number and the customer, $6 the statuses, $7 and $8 how far is counted. */
const countRare = statement(
  "count_texts_of_status",
  `select (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.to_number = $3 and not m.from_service
                and m.direction = any ('{outbound,inbound}') limit $7) as one)::int as at_to,
          (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.from_number = $4 and not m.from_service
                and m.direction = any ('{outbound,inbound}') limit $7) as one)::int as at_from,
          (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.customer_id = $5
                and m.direction = any ('{outbound,inbound}') limit $7) as one)::int as of_customer,
          (select count(*) from (
             select 1 from message_statuses s
              where s.shard = $1 and s.account_id = $2 and s.status = any ($6::text[]) limit $8) as one)::int as of_status`,
);

interface RareCounts {
  readonly at_to: number;
  readonly at_from: number;
  readonly of_customer: number;
  readonly of_status: number;
}

export async function readCrowds(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
): Promise<Crowds> {
  if (!hasSubject(filters)) return NO_CROWDS;
  if (!isEveryStatus(filters) && (await isStatusRare(deps, account, filters))) {
    return { busyEnds: [], isStatusRare: true };
  }
  return { busyEnds: await busyEndsOf(deps, account, filters), isStatusRare: false };
}

/** Few texts have the statuses, and none of what else is asked for has few. */
async function isStatusRare(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
): Promise<boolean> {
  const { to, from, number, customerId, statuses } = filters;
  const ends = [to ?? number, from ?? number];
  const limits = [SUBJECT_TEXTS_MAX + 1, RARE_TEXTS_MAX + 1];
  const values = [account.shard, account.id, ...ends, customerId, statuses, ...limits];
  const [counts] = await deps.db.query<RareCounts>(countRare, values);
  if (!counts || counts.of_status > RARE_TEXTS_MAX) return false;
  const { at_to, at_from, of_customer } = counts;
  const subjects: number[] = [];
  if (number !== null) subjects.push(at_to + at_from);
  if (to !== null) subjects.push(at_to);
  if (from !== null) subjects.push(at_from);
  if (customerId !== null) subjects.push(of_customer);
  return (
    counts.of_status < Math.min(...subjects) || subjects.every((one) => one > SUBJECT_TEXTS_MAX)
  );
}

/**
 * A number of the account's own has texts without end, sent from it and received at it. Beside a
 * customer its texts are not walked through: those of the customer are.
 */
async function busyEndsOf(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
): Promise<End[]> {
  const { customerId, number, to, from } = filters;
  if (customerId === null || (to !== null && from !== null)) return [];
  const ends = [from ?? number, to ?? number];
  if (ends.every((end) => end === null)) return [];
  const values = [account.shard, account.id, ...ends, QUIET_TEXTS_MAX + 1];
  const [counts] = await deps.db.query<Record<End, number>>(countAtEnds, values);
  const all: readonly End[] = ["from_number", "to_number"];
  return all.filter((end) => (counts?.[end] ?? 0) > QUIET_TEXTS_MAX);
}
