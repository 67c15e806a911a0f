import {
  type MessageStatus,
  messageMachine,
  normalizePhone,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { momentOf } from "../api/moments.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../api/pages.ts";
import type { Base } from "../base.ts";
import { customerFilterOf } from "../customers/index.ts";
import { composed, type Fragment, join, notByIndex, raw, sql } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import type { MessageRow } from "../handover/index.ts";
import { MESSAGE_COLUMNS } from "../handover/index.ts";
import { firstUuidAt } from "../platform/ids.ts";
import { presentMessage } from "./present.ts";

type Query = RouteInput<"messages.list">["query"];

/** The filters as the rows know them. */
interface Filters {
  readonly statuses: readonly MessageStatus[];
  readonly to: string | null;
  readonly from: string | null;
  readonly number: string | null;
  readonly customerId: string | null;
  readonly simulated: boolean | null;
  /** From this id on, and up to but without the other. */
  readonly fromId: string;
  readonly toId: string;
}

/**
 * No id is made further ahead of its time than this. The bound keeps the planner from opening the
 * partitions of months to come.
 */
const AHEAD_MS_MAX = 86_400_000;

const STATUSES = messageMachine.states;

/** GET /messages: newest first, any filters together. */
export async function listMessages(
  deps: Base,
  account: AccountRow,
  query: Query,
): Promise<PageAnswer<ReturnType<typeof presentMessage>>> {
  const { limit, cursor, ...given } = query;
  const scope = { list: "messages.list", owner: account.id, filters: given };
  const page = pageRequest(deps.secrets, scope, query);
  const filters = await filtersOf(deps, account, query, page.after?.[0] as string | undefined);
  const rows =
    filters === null
      ? []
      : await deps.db.query<MessageRow>(
          composed(
            "list_messages",
            listQuery(account, filters, await busyEndsOf(deps, account, filters), page.limit + 1),
            { profile: "lists" },
          ),
        );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentMessage);
}

/** Null when the filters contradict each other, so that nothing can match. */
async function filtersOf(
  deps: Base,
  account: AccountRow,
  query: Query,
  cursor: string | undefined,
): Promise<Filters | null> {
  const statuses = STATUSES.filter(
    (status) =>
      (query.status === undefined || query.status === status) &&
      (query.direction === undefined ||
        (query.direction === "inbound") === (status === "received")),
  );
  const customerId = query.customer_id
    ? await customerFilterOf(deps.db, account, query.customer_id)
    : null;
  const numbers = numbersOf(
    phoneOf(query.number, "number"),
    phoneOf(query.to, "to"),
    phoneOf(query.from, "from"),
  );
  const ahead = firstUuidAt(deps.clock.now() + AHEAD_MS_MAX);
  const before = [boundOf(query.created_before, "created_before"), cursor, ahead];
  const filters = {
    statuses,
    customerId,
    simulated: query.simulated ?? null,
    fromId: boundOf(query.created_after, "created_after") ?? firstUuidAt(0),
    // Written in lower case, ids compare as text as they do as ids.
    toId: before.reduce<string>((first, id) => (id && id < first ? id : first), ahead),
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
  const ms = momentOf(given, param);
  return ms === null ? null : firstUuidAt(ms);
}

/**
 * One short walk along an index for each status, merged: every walk stops at the page's size, so
 * the cost does not grow with the table. Planning takes several times as long as walking, so the
 * walk is written once for all statuses, and there are few forms of the whole, each planned once.
 */
function listQuery(
  account: AccountRow,
  filters: Filters,
  busyEnds: readonly End[],
  limit: number,
): Fragment {
  const { simulated } = filters;
  const ofKind = simulated === null ? sql`` : sql`and m.simulated = ${simulated}`;
  const walks = walksOf(filters, busyEnds).map(
    ({ statuses, where }) => sql`
      select walk.* from unnest(${statuses}::text[]) as s (status) cross join lateral (
        select ${raw(MESSAGE_COLUMNS)} from messages m
         where m.shard = ${account.shard} and m.account_id = ${account.id} and m.status = s.status
         and not m.from_service
         and m.id >= ${filters.fromId}::uuid and m.id < ${filters.toId}::uuid
         ${ofKind} ${where} order by m.id desc limit ${limit}) as walk`,
  );
  return sql`select * from (${join(walks, " union all ")}) as merged order by id desc limit ${limit}`;
}

/** Where a number stands in a text. */
type End = "from_number" | "to_number";

/** More texts of one number than this are not looked through for those of a customer. */
const QUIET_TEXTS_MAX = 1_000;

const countAtEnds = statement(
  "count_texts_at_ends",
  `select (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.from_number = $3 and not m.from_service
                and m.status = any('{queued,sent,delivered,failed}') limit $5) as sent)::int as from_number,
          (select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.to_number = $4 and not m.from_service
                and m.status = any('{received}') limit $5) as received)::int as to_number`,
);

/**
 * A number of the account's own has texts without end, sent from it and received at it. Beside a
 * customer its texts are not walked through: those of the customer are.
 */
async function busyEndsOf(deps: Base, account: AccountRow, filters: Filters): Promise<End[]> {
  const { customerId, number, to, from } = filters;
  if (customerId === null || (to !== null && from !== null)) return [];
  const ends = [from ?? number, to ?? number];
  if (ends.every((end) => end === null)) return [];
  const values = [account.shard, account.id, ...ends, QUIET_TEXTS_MAX + 1];
  const [counts] = await deps.db.query<Record<End, number>>(countAtEnds, values);
  const all: readonly End[] = ["from_number", "to_number"];
  return all.filter((end) => (counts?.[end] ?? 0) > QUIET_TEXTS_MAX);
}

interface Walk {
  readonly statuses: readonly MessageStatus[];
  /** On numbers and customer; all else is the same for every walk. */
  readonly where: Fragment;
}

/**
 * A text has a number of the account's at one end, which has texts without end, and at the other a
 * phone, which has few: that of `to` on the way out, that of `from` on the way in. The plan knows none
 * of the values, so each walk is written such that only one index fits it: what it is not to walk by
 * stands in `notByIndex`, or as `any` where the index walked by has the column behind the id.
 */
function walksOf(filters: Filters, busyEnds: readonly End[]): Walk[] {
  const { statuses, number, to, from } = filters;
  if (to !== null && from !== null) return walksBetween(filters, to, from);
  const atEnd = (end: End, given: string, more = sql``) =>
    walksAtOneEnd(filters, { end, number: given, isBusy: busyEnds.includes(end), more });
  if (to !== null) return atEnd("to_number", to);
  if (from !== null) return atEnd("from_number", from);
  if (number === null) return [{ statuses, where: customerWhere(filters) }];
  const notBoth = sql`and ${notByIndex(sql`m.from_number <> ${number}`)}`;
  return [...atEnd("from_number", number), ...atEnd("to_number", number, notBoth)];
}

function walksBetween(filters: Filters, to: string, from: string): Walk[] {
  const customer = customerFilter(filters);
  return waysOf(filters).map(({ way, statuses }) => ({
    statuses,
    where:
      way === "outbound"
        ? sql`and m.to_number = ${to} and ${notByIndex(sql`m.from_number = ${from}`)} ${customer}`
        : sql`and m.from_number = ${from} and ${notByIndex(sql`m.to_number = ${to}`)} ${customer}`,
  }));
}

/** The number given is the phone's on one way, and on the other the account's own if it is busy. */
function walksAtOneEnd(
  filters: Filters,
  given: { end: End; number: string; isBusy: boolean; more: Fragment },
): Walk[] {
  const { end, number, isBusy, more } = given;
  const column = raw(`m.${end}`);
  const byNumber = sql`and ${column} = ${number} ${customerFilter(filters)} ${more}`;
  if (!isBusy) return [{ statuses: filters.statuses, where: byNumber }];
  const isNumber = sql`and ${column} = any (array[${number}])`;
  const byCustomer = sql`${customerWhere(filters)} ${isNumber} ${more}`;
  const phoneWay = end === "to_number" ? "outbound" : "inbound";
  return waysOf(filters).map(({ way, statuses }) => ({
    statuses,
    where: way === phoneWay ? byNumber : byCustomer,
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
  return customerId === null ? sql`` : sql`and ${notByIndex(sql`m.customer_id = ${customerId}`)}`;
}
