import {
  normalizePhone,
  Problem,
  parseTimestamp,
  type RouteInput,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { findCustomerCached } from "../customers/index.ts";
import { type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import type { Deps } from "../deps.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../http/paginate.ts";
import { firstUuidAt } from "../platform/ids.ts";
import type { MessageRow, MessageStatus } from "./message-row.ts";
import { presentMessage } from "./present.ts";
import { MESSAGE_COLUMNS } from "./sql.ts";

type Query = RouteInput<"messages.list">["query"];

/** The filters as the rows know them. */
interface Filters {
  readonly statuses: readonly MessageStatus[];
  readonly to: string | null;
  readonly from: string | null;
  readonly number: string | null;
  readonly customerId: string | null;
  readonly afterId: string | null;
  readonly beforeId: string | null;
}

const STATUSES: readonly MessageStatus[] = ["queued", "sent", "delivered", "failed", "received"];

/** GET /messages: newest first, any filters together. */
export async function listMessages(
  deps: Deps,
  account: AccountRow,
  query: Query,
): Promise<PageAnswer<ReturnType<typeof presentMessage>>> {
  const { limit, cursor, ...given } = query;
  const scope = { list: "messages.list", owner: account.id, filters: given };
  const page = pageRequest(deps.secrets, scope, query);
  const filters = await filtersOf(deps, account, query);
  const rows =
    filters === null
      ? []
      : await deps.db.queryFragment<MessageRow>(
          "list_messages",
          listQuery(account, filters, page.after?.[0] as string | undefined, page.limit + 1),
        );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentMessage);
}

/** Null when the filters contradict each other, so that nothing can match. */
async function filtersOf(deps: Deps, account: AccountRow, query: Query): Promise<Filters | null> {
  const statuses = STATUSES.filter(
    (status) =>
      (query.status === undefined || query.status === status) &&
      (query.direction === undefined ||
        (query.direction === "inbound") === (status === "received")),
  );
  const customer = query.customer_id
    ? await findCustomerCached(deps, account, query.customer_id)
    : null;
  const numbers = numbersOf(
    phoneOf(query.number, "number"),
    phoneOf(query.to, "to"),
    phoneOf(query.from, "from"),
  );
  const filters = {
    statuses,
    customerId: customer?.id ?? null,
    afterId: boundOf(query.created_after, "created_after"),
    beforeId: boundOf(query.created_before, "created_before"),
  };
  return statuses.length === 0 || numbers === null ? null : { ...filters, ...numbers };
}

/** With `to` or `from` beside it, `number` is that one, or it is the other end; else nothing matches. */
function numbersOf(
  number: string | null,
  to: string | null,
  from: string | null,
): Pick<Filters, "number" | "to" | "from"> | null {
  if (number === null || number === to || number === from) {
    const isKnown = to !== null || from !== null;
    return { number: isKnown ? null : number, to, from };
  }
  if (to === null && from === null) return { number, to, from };
  if (to === null) return { number: null, to: number, from };
  if (from === null) return { number: null, to, from: number };
  return null;
}

function phoneOf(given: string | undefined, param: string): string | null {
  if (given === undefined) return null;
  const phone = normalizePhone(given);
  if (phone === null) {
    throw new Problem("invalid_request", `${param} must be a phone number.`, { param });
  }
  return phone;
}

/** A moment as the smallest id of its millisecond: ids are made of time. */
function boundOf(given: string | undefined, param: string): string | null {
  if (given === undefined) return null;
  const ms = parseTimestamp(given);
  if (ms === null) {
    throw new Problem("invalid_request", `${param} must be ${TIMESTAMP_FORM}.`, { param });
  }
  return firstUuidAt(ms);
}

/**
 * One short walk along an index for each status, merged: every walk stops at the page's size, so
 * the cost does not grow with the table. The walk is written once and done for each status in turn,
 * because planning it for each, in every month, took ten times as long as walking.
 */
function listQuery(
  account: AccountRow,
  filters: Filters,
  beforeCursor: string | undefined,
  limit: number,
): Fragment {
  const bounds: Fragment[] = [];
  if (filters.afterId !== null) bounds.push(sql`and m.id >= ${filters.afterId}::uuid`);
  if (filters.beforeId !== null) bounds.push(sql`and m.id < ${filters.beforeId}::uuid`);
  if (beforeCursor !== undefined) bounds.push(sql`and m.id < ${beforeCursor}::uuid`);
  const walks = walksOf(filters).map(
    ({ statuses, where }) => sql`
      select walk.* from unnest(${statuses}::text[]) as s (status) cross join lateral (
        select ${raw(MESSAGE_COLUMNS)} from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.status = s.status
         ${where} ${join(bounds, " ")} order by m.id desc limit ${limit}) as walk`,
  );
  return sql`select * from (${join(walks, " union all ")}) as merged order by id desc limit ${limit}`;
}

interface Walk {
  readonly statuses: readonly MessageStatus[];
  /** On numbers and customer; all else is the same for every walk. */
  readonly where: Fragment;
}

/**
 * A text has a number of the account's at one end, which has texts without end, and at the other a
 * phone, which has few: that of `to` on the way out, that of `from` on the way in. Where the planner
 * would have to guess which of two filters to walk by, each way is a walk of its own, and `(…) is true`
 * keeps a filter from being the one.
 */
function walksOf(filters: Filters): Walk[] {
  const { statuses, number, to, from } = filters;
  if (to !== null && from !== null) return walksBetween(filters, to, from);
  if (to !== null) return walksAtOneEnd(filters, sql`and m.to_number = ${to}`, "outbound");
  if (from !== null) return walksAtOneEnd(filters, sql`and m.from_number = ${from}`, "inbound");
  if (number === null) return [{ statuses, where: customerWhere(filters) }];
  const onlyTo = sql`and m.to_number = ${number} and m.from_number <> ${number}`;
  return [
    ...walksAtOneEnd(filters, sql`and m.from_number = ${number}`, "inbound"),
    ...walksAtOneEnd(filters, onlyTo, "outbound"),
  ];
}

function walksBetween(filters: Filters, to: string, from: string): Walk[] {
  const customer = customerFilter(filters);
  return waysOf(filters).map(({ way, statuses }) => ({
    statuses,
    where:
      way === "outbound"
        ? sql`and m.to_number = ${to} and m.from_number = ${from} ${customer}`
        : sql`and m.from_number = ${from} and (m.to_number = ${to}) is true ${customer}`,
  }));
}

/** The number given is the phone's on one way, and the account's own on the other. */
function walksAtOneEnd(filters: Filters, end: Fragment, phoneWay: Way["way"]): Walk[] {
  if (filters.customerId === null) return [{ statuses: filters.statuses, where: end }];
  return waysOf(filters).map(({ way, statuses }) => ({
    statuses,
    where: sql`${end} ${way === phoneWay ? customerFilter(filters) : customerWhere(filters)}`,
  }));
}

interface Way {
  readonly way: "outbound" | "inbound";
  readonly statuses: readonly MessageStatus[];
}

function waysOf({ statuses }: Filters): Way[] {
  const ways: Way[] = [
    { way: "outbound", statuses: statuses.filter((status) => status !== "received") },
    { way: "inbound", statuses: statuses.filter((status) => status === "received") },
  ];
  return ways.filter((way) => way.statuses.length > 0);
}

function customerWhere({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and m.customer_id = ${customerId}`;
}

function customerFilter({ customerId }: Filters): Fragment {
  return customerId === null ? sql`` : sql`and (m.customer_id = ${customerId}) is true`;
}
