import type { AccountRow } from "../accounts/index.ts";
import type { Base } from "../base.ts";
import { type Fragment, join, notByIndex, raw, sql } from "../db/sql-builder.ts";
import { MESSAGE_COLUMNS } from "../handover/index.ts";
import { type Crowds, type End, readCrowds } from "./list-crowds.ts";
import {
  type Direction,
  directionsOf,
  type Filters,
  hasSubject,
  isEveryStatus,
} from "./list-filters.ts";

/**
 * A page: short walks along indexes, newest first, each of which ends at the page's size, merged by
 * id; then the messages themselves. Planning takes several times as long as walking, so there are few
 * forms of the whole, each planned once for all values: what a walk is not to be planned by stands as
 * `notByIndex`, as `any` where the index walked by has the column behind the id, or as a lookup with
 * a limit of its own.
 */
export async function listQuery(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
  limit: number,
): Promise<Fragment> {
  const crowds = await readCrowds(deps, account, filters);
  const walks =
    hasSubject(filters) && !crowds.isStatusRare
      ? walksByMessage(account, filters, crowds, limit)
      : [walkByStatus(account, filters, limit)];
  return sql`select ${raw(MESSAGE_COLUMNS)} from (
      select id from (${join(walks, " union all ")}) as merged order by id desc limit ${limit}) as page
    cross join lateral (
      select * from messages m where m.shard = ${account.shard} and m.id = page.id limit 1) as m
    order by m.id desc`;
}

/**
 * By status: each status is walked by itself. Texts of other numbers or customers are passed over: a
 * lookup in the index of what is asked for finds nothing then, and no row is fetched.
 */
function walkByStatus(account: AccountRow, filters: Filters, limit: number): Fragment {
  const { to, from, number, customerId } = filters;
  const only: Fragment[] = [];
  // Bounds instead of an equation, so that the index of the number or customer is looked in.
  const has = (condition: Fragment) =>
    sql`(select true from messages m
              where m.shard = ${account.shard} and m.account_id = ${account.id} and ${condition}
                and m.direction = any ('{outbound,inbound}') and m.id >= s.id and m.id <= s.id limit 1)`;
  const isAt = (end: End, given: string) =>
    sql`${raw(`m.${end}`)} = ${given} and not m.from_service`;
  if (to !== null) only.push(has(isAt("to_number", to)));
  if (from !== null) only.push(has(isAt("from_number", from)));
  if (number !== null) {
    only.push(
      sql`coalesce(${has(isAt("from_number", number))}, ${has(isAt("to_number", number))})`,
    );
  }
  if (customerId !== null) only.push(has(sql`m.customer_id = ${customerId}`));
  return sql`select walk.id from unnest(${filters.statuses}::text[]) as x (status) cross join lateral (
        select s.id from message_statuses s
         where s.shard = ${account.shard} and s.account_id = ${account.id} and s.status = x.status
           and s.id >= ${filters.fromId}::uuid and s.id < ${filters.toId}::uuid ${ofKind("s", filters)} ${join(
             only.map((one) => sql`and ${one}`),
             " ",
           )}
         order by s.id desc limit ${limit}) as walk`;
}

interface Walk {
  readonly directions: readonly Direction[];
  /** On numbers and customer; all else is the same for every walk. */
  readonly where: Fragment;
}

/** By number or customer: each direction is walked by itself, and the status looked up. */
function walksByMessage(
  account: AccountRow,
  filters: Filters,
  crowds: Crowds,
  limit: number,
): Fragment[] {
  const status = isEveryStatus(filters)
    ? sql``
    : sql`and (select true from message_statuses s
                where s.shard = ${account.shard} and s.account_id = ${account.id}
                  and s.status = any (${filters.statuses}::text[]) and s.id = m.id limit 1)`;
  return walksOf(filters, crowds).map(
    ({ directions, where }) => sql`
      select walk.id from unnest(${directions}::text[]) as x (direction) cross join lateral (
        select m.id from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.direction = x.direction
           and not m.from_service and m.id >= ${filters.fromId}::uuid and m.id < ${filters.toId}::uuid
           ${ofKind("m", filters)} ${where} ${status}
         order by m.id desc limit ${limit}) as walk`,
  );
}

/**
 * A text has a number of the account's at one end, which has texts without end, and at the other a
 * phone, which has few: that of `to` on the way out, that of `from` on the way in.
 */
function walksOf(filters: Filters, crowds: Crowds): Walk[] {
  const { number, to, from } = filters;
  const directions = directionsOf(filters);
  if (to !== null && from !== null) return walksBetween(filters, directions, to, from);
  const atEnd = (end: End, given: string, more = sql``) =>
    walksAtOneEnd(filters, directions, {
      end,
      number: given,
      isBusy: crowds.busyEnds.includes(end),
      more,
    });
  if (to !== null) return atEnd("to_number", to);
  if (from !== null) return atEnd("from_number", from);
  if (number === null) return [{ directions, where: customerWhere(filters) }];
  const notBoth = sql`and ${notByIndex(sql`m.from_number <> ${number}`)}`;
  return [...atEnd("from_number", number), ...atEnd("to_number", number, notBoth)];
}

function walksBetween(
  filters: Filters,
  directions: readonly Direction[],
  to: string,
  from: string,
): Walk[] {
  const customer = customerFilter(filters);
  return directions.map((direction) => ({
    directions: [direction],
    where:
      direction === "outbound"
        ? sql`and m.to_number = ${to} and ${notByIndex(sql`m.from_number = ${from}`)} ${customer}`
        : sql`and m.from_number = ${from} and ${notByIndex(sql`m.to_number = ${to}`)} ${customer}`,
  }));
}

/** The number given is the phone's on one way, and on the other the account's own if it is busy. */
function walksAtOneEnd(
  filters: Filters,
  directions: readonly Direction[],
  given: { end: End; number: string; isBusy: boolean; more: Fragment },
): Walk[] {
  const { end, number, isBusy, more } = given;
  const column = raw(`m.${end}`);
  const byNumber = sql`and ${column} = ${number} ${customerFilter(filters)} ${more}`;
  if (!isBusy) return [{ directions, where: byNumber }];
  const isNumber = sql`and ${column} = any (array[${number}])`;
  const byCustomer = sql`${customerWhere(filters)} ${isNumber} ${more}`;
  const phoneWay = end === "to_number" ? "outbound" : "inbound";
  return directions.map((direction) => ({
    directions: [direction],
    where: direction === phoneWay ? byNumber : byCustomer,
  }));
}

function ofKind(table: "m" | "s", { simulated }: Filters): Fragment {
  return simulated === null ? sql`` : sql`and ${raw(table)}.simulated = ${simulated}`;
}

function customerWhere({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and m.customer_id = ${customerId}`;
}

function customerFilter({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and ${notByIndex(sql`m.customer_id = ${customerId}`)}`;
}
