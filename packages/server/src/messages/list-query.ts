import type { Base } from "../base.ts";
import { type Fragment, notByIndex, raw, sql } from "../db/sql-builder.ts";
import { MESSAGE_COLUMNS } from "../handover/index.ts";
import { walkByBoth } from "./list-both.ts";
import { type Crowds, type End, readCrowds } from "./list-crowds.ts";
import {
  type Direction,
  directionsOf,
  type Filters,
  hasSubject,
  isEveryStatus,
} from "./list-filters.ts";
import { type Listed, ofKind, type Walk, walkBySubject } from "./list-walks.ts";

/**
 * A page: short walks along indexes, newest first, each of which ends at the page's size, merged by
 * id; then the messages themselves. Planning takes several times as long as walking, so there are few
 * forms of the whole, each planned once for all values: what a walk is not to be planned by stands as
 * `notByIndex`, or as `any` where the index walked by has the column behind the id.
 */
export async function listQuery(
  deps: Pick<Base, "db">,
  account: Listed,
  filters: Filters,
  limit: number,
): Promise<Fragment> {
  return sql`select ${raw(MESSAGE_COLUMNS)} from (
      select distinct id from (${await idsOf(deps, account, filters, limit)}) as merged order by id desc limit ${limit}) as page
    cross join lateral (
      select * from messages m where m.shard = ${account.shard} and m.id = page.id limit 1) as m
    order by m.id desc`;
}

async function idsOf(
  deps: Pick<Base, "db">,
  account: Listed,
  filters: Filters,
  limit: number,
): Promise<Fragment> {
  if (!hasSubject(filters)) return walkByStatus(account, filters, limit);
  const walks = walksOf(filters, await readCrowds(deps, account, filters));
  return isEveryStatus(filters)
    ? walkBySubject(account, filters, walks, {
        first: sql`${filters.fromId}::uuid`,
        before: sql`${filters.toId}::uuid`,
        limit: sql`${limit}`,
      })
    : walkByBoth(account, filters, walks, limit);
}

/** By status alone: each is walked by itself. */
function walkByStatus(account: Listed, filters: Filters, limit: number): Fragment {
  return sql`select walk.id from unnest(${filters.statuses}::text[]) as x (status) cross join lateral (
        select s.id from message_statuses s
         where s.shard = ${account.shard} and s.account_id = ${account.id} and s.status = x.status
           and s.id >= ${filters.fromId}::uuid and s.id < ${filters.toId}::uuid ${ofKind("s", filters)}
         order by s.id desc limit ${limit}) as walk`;
}

/**
 * A text has a number of the account's at one end, which has texts without end, and at the other a
 * phone, which has few: that of `to` on the way out, that of `from` on the way in.
 */
function walksOf(filters: Filters, crowds: Crowds): Walk[] {
  const { number, to, from } = filters;
  const directions = directionsOf(filters);
  if (to !== null && from !== null) return walksBetween(filters, directions, crowds, to, from);
  const atEnd = (end: End, given: string) =>
    walksAtOneEnd(filters, directions, {
      end,
      number: given,
      isBusy: crowds.busyEnds.includes(end),
    });
  if (to !== null) return atEnd("to_number", to);
  if (from !== null) return atEnd("from_number", from);
  if (number === null) return [{ directions, by: "customer", where: customerWhere(filters) }];
  return [...atEnd("from_number", number), ...atEnd("to_number", number)];
}

/** Between two numbers: by the phone's texts, unless it is they that are many. */
function walksBetween(
  filters: Filters,
  directions: readonly Direction[],
  crowds: Crowds,
  to: string,
  from: string,
): Walk[] {
  const customer = customerFilter(filters);
  const byTo = sql`and m.to_number = ${to} and ${notByIndex(sql`m.from_number = ${from}`)} ${customer}`;
  const byFrom = sql`and m.from_number = ${from} and ${notByIndex(sql`m.to_number = ${to}`)} ${customer}`;
  return directions.map((direction) => ({
    directions: [direction],
    by: "number",
    where: endWalked(direction, crowds) === "to_number" ? byTo : byFrom,
  }));
}

function endWalked(direction: Direction, { busyPhones }: Crowds): End {
  const [own, phone]: [End, End] =
    direction === "outbound" ? ["from_number", "to_number"] : ["to_number", "from_number"];
  return busyPhones.includes(direction) ? own : phone;
}

/** The number given is the phone's on one way, and on the other the account's own if it is busy. */
function walksAtOneEnd(
  filters: Filters,
  directions: readonly Direction[],
  given: { end: End; number: string; isBusy: boolean },
): Walk[] {
  const { end, number, isBusy } = given;
  const column = raw(`m.${end}`);
  const byNumber = sql`and ${column} = ${number} ${customerFilter(filters)}`;
  if (!isBusy) return [{ directions, by: "number", where: byNumber }];
  const isNumber = sql`and ${column} = any (array[${number}])`;
  const byCustomer = sql`${customerWhere(filters)} ${isNumber}`;
  const phoneWay = end === "to_number" ? "outbound" : "inbound";
  return directions.map((direction) =>
    direction === phoneWay
      ? { directions: [direction], by: "number", where: byNumber }
      : { directions: [direction], by: "customer", where: byCustomer },
  );
}

function customerWhere({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and m.customer_id = ${customerId}`;
}

function customerFilter({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and ${notByIndex(sql`m.customer_id = ${customerId}`)}`;
}
