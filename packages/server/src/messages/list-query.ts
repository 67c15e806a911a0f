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
 * `notByIndex`, or as `any` where the index walked by has the column behind the id.
 */
export async function listQuery(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
  limit: number,
): Promise<Fragment> {
  return sql`select ${raw(MESSAGE_COLUMNS)} from (
      select id from (${await idsOf(deps, account, filters, limit)}) as merged order by id desc limit ${limit}) as page
    cross join lateral (
      select * from messages m where m.shard = ${account.shard} and m.id = page.id limit 1) as m
    order by m.id desc`;
}

async function idsOf(
  deps: Pick<Base, "db">,
  account: AccountRow,
  filters: Filters,
  limit: number,
): Promise<Fragment> {
  if (!hasSubject(filters)) return walkByStatus(account, filters, limit);
  const walks = walksOf(filters, await readCrowds(deps, account, filters));
  return isEveryStatus(filters)
    ? walkBySubject(account, filters, walks, sql`${filters.toId}::uuid`, sql`${limit}`)
    : walkByBoth(account, filters, walks, limit);
}

/** By status alone: each is walked by itself. */
function walkByStatus(account: AccountRow, filters: Filters, limit: number): Fragment {
  return sql`select walk.id from unnest(${filters.statuses}::text[]) as x (status) cross join lateral (
        select s.id from message_statuses s
         where s.shard = ${account.shard} and s.account_id = ${account.id} and s.status = x.status
           and s.id >= ${filters.fromId}::uuid and s.id < ${filters.toId}::uuid ${ofKind("s", filters)}
         order by s.id desc limit ${limit}) as walk`;
}

/** So many texts of each kind are looked at first, and twice as many each time that this is not enough. */
const FIRST_LOOK_TEXTS = 64;
const LOOK_TEXTS_MAX = 1_024;

/**
 * By a status and a number or customer, of which neither is known as the one with fewer texts: a
 * handful is read of both, whichever reaches further back has fewer there, and those of it that are of
 * the other kind too are in the list. From where it ended both are read again. So what one of them has
 * many of, and the other none, is passed over at once, wherever it is.
 */
function walkByBoth(
  account: AccountRow,
  filters: Filters,
  walks: readonly Walk[],
  limit: number,
): Fragment {
  // Where not every status of a direction is asked for, one is.
  const [status] = filters.statuses;
  const ofStatus = sql`message_statuses s
                where s.shard = ${account.shard} and s.account_id = ${account.id} and s.status = ${status}`;
  // Lookups with a limit of their own: as `exists` they would be planned as one walk through all there is.
  const ofSubject = walks.map(
    ({ directions, where }) => sql`(
                select true from messages m
                 where m.shard = ${account.shard} and m.account_id = ${account.id} and not m.from_service
                   and m.id = by_status.id and m.direction = any (${directions}::text[]) ${where} limit 1)`,
  );
  const look = sql`
        with by_status as materialized (
               select s.id from ${ofStatus}
                  and s.id >= ${filters.fromId}::uuid and s.id < steps.before ${ofKind("s", filters)}
                order by s.id desc limit steps.size),
             by_subject as materialized (
               select id from (
                 ${walkBySubject(account, filters, walks, sql`steps.before`, sql`steps.size`)}) as walks
                order by id desc limit steps.size),
             reach as materialized (
               select (select id from by_status order by id desc offset steps.size - 1) as status_end,
                      (select id from by_subject order by id desc offset steps.size - 1) as subject_end),
             fewer as materialized (
               select status_end, subject_end,
                      status_end is null
                        or (subject_end is not null and status_end <= subject_end) as are_of_status
                 from reach)
        select case when are_of_status then status_end else subject_end end as reached,
               array(select id from by_status where are_of_status and coalesce(${join(ofSubject, ", ")})
                     union all
                     select id from by_subject where not are_of_status
                        and (select true from ${ofStatus} and s.id = by_subject.id limit 1)) as ids
          from fewer`;
  return sql`with recursive steps (before, size, found, ids) as (
      select ${filters.toId}::uuid, ${FIRST_LOOK_TEXTS}::int, 0, '{}'::uuid[]
      union all
      select reached, least(size * 2, ${LOOK_TEXTS_MAX}::int), found + cardinality(look.ids), look.ids
        from steps cross join lateral (${look}) as look
       where before is not null and found < ${limit}::int)
    select unnest(ids) as id from steps`;
}

interface Walk {
  readonly directions: readonly Direction[];
  /** On numbers and customer; all else is the same for every walk. */
  readonly where: Fragment;
}

/** By number or customer: each direction is walked by itself. */
function walkBySubject(
  account: AccountRow,
  filters: Filters,
  walks: readonly Walk[],
  before: Fragment,
  limit: Fragment,
): Fragment {
  const each = walks.map(
    ({ directions, where }) => sql`
      select walk.id from unnest(${directions}::text[]) as x (direction) cross join lateral (
        select m.id from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.direction = x.direction
           and not m.from_service and m.id >= ${filters.fromId}::uuid and m.id < ${before}
           ${ofKind("m", filters)} ${where}
         order by m.id desc limit ${limit}) as walk`,
  );
  return join(each, " union all ");
}

/**
 * A text has a number of the account's at one end, which has texts without end, and at the other a
 * phone, which has few: that of `to` on the way out, that of `from` on the way in.
 */
function walksOf(filters: Filters, crowds: Crowds): Walk[] {
  const { number, to, from } = filters;
  const directions = directionsOf(filters);
  if (to !== null && from !== null) return walksBetween(filters, directions, crowds, to, from);
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
