import type { Base } from "../base.ts";
import { type Fragment, notByIndex, raw, sql } from "../db/sql-builder.ts";
import { MESSAGE_COLUMNS } from "../handover/index.ts";
import { walkByBoth } from "./list-both.ts";
import { type End, readBusyPhones } from "./list-busy-phones.ts";
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
 * `notByIndex`.
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
  const walks = walksOf(filters, await readBusyPhones(deps, account, filters));
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
function walksOf(filters: Filters, busyPhones: readonly Direction[]): Walk[] {
  const { number, to, from } = filters;
  const directions = directionsOf(filters);
  if (to !== null && from !== null) return walksBetween(filters, directions, busyPhones, to, from);
  const atEnd = (end: End, given: string) => walksAtOneEnd(filters, directions, end, given);
  if (to !== null) return atEnd("to_number", to);
  if (from !== null) return atEnd("from_number", from);
  if (number === null) return [{ directions, by: "customer", where: customerWhere(filters) }];
  return [...atEnd("from_number", number), ...atEnd("to_number", number)];
}

/** Between two numbers: by the phone's texts, unless it is they that are many. */
function walksBetween(
  filters: Filters,
  directions: readonly Direction[],
  busyPhones: readonly Direction[],
  to: string,
  from: string,
): Walk[] {
  const customer = customerFilter(filters);
  const byTo = sql`and m.to_number = ${to} and ${notByIndex(sql`m.from_number = ${from}`)} ${customer}`;
  const byFrom = sql`and m.from_number = ${from} and ${notByIndex(sql`m.to_number = ${to}`)} ${customer}`;
  return directions.map((direction) => {
    const isByOwn = busyPhones.includes(direction);
    const isByFrom = isByOwn === (ownEnd(direction) === "from_number");
    return { directions: [direction], by: "number", where: isByFrom ? byFrom : byTo };
  });
}

/** Where the account's own number stands. */
function ownEnd(direction: Direction): End {
  return direction === "outbound" ? "from_number" : "to_number";
}

/** Beside a customer an own number has an index with the customer; of a phone's texts the customer's are picked out. */
function walksAtOneEnd(
  filters: Filters,
  directions: readonly Direction[],
  end: End,
  number: string,
): Walk[] {
  const { customerId } = filters;
  const byNumber = sql`and ${raw(`m.${end}`)} = ${number} ${customerFilter(filters)}`;
  if (customerId === null) return [{ directions, by: "number", where: byNumber }];
  return directions.map((direction) => ({
    directions: [direction],
    by: "number",
    where: ownEnd(direction) === end ? withOwnNumber(end, number, direction, customerId) : byNumber,
  }));
}

/** What `messages_by_customer_and_number` is by. */
const CUSTOMER_AND_NUMBER = raw(
  "hashtextextended(m.direction || case m.direction when 'outbound' then m.from_number else m.to_number end, uuid_hash_extended(m.customer_id, 0))",
);

function withOwnNumber(
  end: End,
  number: string,
  direction: Direction,
  customerId: string,
): Fragment {
  return sql`and ${CUSTOMER_AND_NUMBER} = hashtextextended(${`${direction}${number}`}::text, uuid_hash_extended(${customerId}::uuid, 0))
           and m.customer_id is not null and ${notByIndex(sql`m.customer_id = ${customerId}`)}
           and ${notByIndex(sql`${raw(`m.${end}`)} = ${number}`)}`;
}

function customerWhere({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and m.customer_id = ${customerId}`;
}

function customerFilter({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and ${notByIndex(sql`m.customer_id = ${customerId}`)}`;
}
