import type { Base } from "../../core/base.ts";
import { type Fragment, join, notByIndex, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { walkByBoth } from "./list-both.ts";
import { type End, readBusyPhones } from "./list-busy-phones.ts";
import {
  type Direction,
  directionsOf,
  type Filters,
  hasSubject,
  isEveryStatus,
  isNarrowed,
} from "./list-filters.ts";
import { type Listed, ofKind, type Walk, walkBySubject } from "./list-walks.ts";
import { MESSAGE_COLUMNS } from "./sql.ts";

/**
 * Builds the query of a page: short index walks, newest first, each limited to the page, merged by id.
 *
 * Planning takes several times as long as walking. There are few forms of the query, each planned once for all
 * values; `notByIndex` hides conditions that must not choose the index.
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
  if (isNarrowed(filters)) return walkNarrowed(account, filters, limit);
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

/**
 * Walks the messages of a batch, of the first pair of metadata, or of each status, and compares every other filter.
 * Batches are bounded; of the others the newest come first.
 */
function walkNarrowed(account: Listed, filters: Filters, limit: number): Fragment {
  const { batchId, metadata } = filters;
  const [pair] = metadata;
  const conditions = narrowedBy(account, filters);
  if (batchId !== null) {
    return sql`(select m.id from messages m
        where m.shard = ${account.shard} and m.batch_id = ${batchId} and ${conditions}
        order by m.id desc limit ${limit})`;
  }
  if (pair === undefined) {
    return sql`(select walk.id from unnest(${filters.statuses}::text[]) as x (status) cross join lateral (
        select m.id from message_statuses s cross join lateral (
          select m.id from messages m where m.shard = ${account.shard} and m.id = s.id and ${conditions} limit 1) as m
         where s.shard = ${account.shard} and s.account_id = ${account.id} and s.mode = ${filters.mode}
           and s.status = x.status and s.id >= ${filters.fromId}::uuid and s.id < ${filters.toId}::uuid ${ofKind("s", filters)}
         order by s.id desc limit ${limit}) as walk)`;
  }
  const [key, value] = pair;
  return sql`(select m.id from message_metadata t cross join lateral (
        select m.id from messages m where m.shard = ${account.shard} and m.id = t.id and ${conditions} limit 1) as m
       where t.shard = ${account.shard} and t.account_id = ${account.id} and t.mode = ${filters.mode}
         and t.pair_hash = hashtextextended(${value}, hashtextextended(${key}, 0))
         and t.id >= ${filters.fromId}::uuid and t.id < ${filters.toId}::uuid
       order by t.id desc limit ${limit})`;
}

function narrowedBy(account: Listed, filters: Filters): Fragment {
  const { mode, statuses, to, from, number, customerId, simulated, metadata, fromId, toId } =
    filters;
  const { failureCode, carrier } = filters;
  const conditions = [
    notByIndex(sql`m.account_id = ${account.id} and m.mode = ${mode}`),
    sql`not m.from_service`,
    sql`m.id >= ${fromId}::uuid and m.id < ${toId}::uuid`,
    sql`m.status = any(${statuses}::text[])`,
    ...metadata.map(([key, value]) => sql`m.metadata ->> ${key}::text = ${value}`),
  ];
  if (to !== null) conditions.push(notByIndex(sql`m.to_number = ${to}`));
  if (from !== null) conditions.push(notByIndex(sql`m.from_number = ${from}`));
  if (number !== null) conditions.push(notByIndex(sql`${number} in (m.from_number, m.to_number)`));
  if (customerId !== null) conditions.push(notByIndex(sql`m.customer_id = ${customerId}`));
  if (simulated !== null) conditions.push(sql`m.simulated = ${simulated}`);
  if (filters.batchId !== null) conditions.push(sql`m.batch_id = ${filters.batchId}`);
  if (failureCode !== null) conditions.push(sql`m.failure_code = ${failureCode}`);
  if (carrier !== null) conditions.push(sql`m.carrier = ${carrier}`);
  return join(conditions, " and ");
}

/** Walks each status separately. */
function walkByStatus(account: Listed, filters: Filters, limit: number): Fragment {
  return sql`select walk.id from unnest(${filters.statuses}::text[]) as x (status) cross join lateral (
        select s.id from message_statuses s
         where s.shard = ${account.shard} and s.account_id = ${account.id} and s.mode = ${filters.mode}
           and s.status = x.status and s.id >= ${filters.fromId}::uuid and s.id < ${filters.toId}::uuid ${ofKind("s", filters)}
         order by s.id desc limit ${limit}) as walk`;
}

/**
 * One end of a message is a number of the account, with many messages; the other is a phone, with few. The phone
 * is `to` for outbound and `from` for inbound messages.
 */
function walksOf(filters: Filters, busyPhones: readonly Direction[]): Walk[] {
  const { number, to, from } = filters;
  const directions = directionsOf(filters);
  if (to !== null && from !== null) return walksBetween(filters, directions, busyPhones, to, from);
  const atEnd = (end: End, phone: string) => walksAtOneEnd(filters, directions, end, phone);
  if (to !== null) return atEnd("to_number", to);
  if (from !== null) return atEnd("from_number", from);
  if (number === null) return [{ directions, by: "customer", where: customerWhere(filters) }];
  return [...atEnd("from_number", number), ...atEnd("to_number", number)];
}

/** Walks between two numbers by the phone's messages, unless the phone is the busier one. */
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

/** Column of the account's own number. */
function ownEnd(direction: Direction): End {
  return direction === "outbound" ? "from_number" : "to_number";
}

/** With a customer filter, an own number has an index of its own; a phone's messages are filtered by customer. */
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

/** Expression of the index `messages_by_customer_and_number`. */
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
