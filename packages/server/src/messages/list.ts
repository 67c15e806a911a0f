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
  const filters: Filters = {
    statuses,
    to: phoneOf(query.to, "to"),
    from: phoneOf(query.from, "from"),
    number: phoneOf(query.number, "number"),
    customerId: customer?.id ?? null,
    afterId: boundOf(query.created_after, "created_after"),
    beforeId: boundOf(query.created_before, "created_before"),
  };
  return statuses.length === 0 ? null : filters;
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
 * One short walk along an index for each status (and, for `number`, each side), merged: every
 * walk stops at the page's size, so the cost does not grow with the table.
 */
function listQuery(
  account: AccountRow,
  filters: Filters,
  beforeCursor: string | undefined,
  limit: number,
): Fragment {
  const sides =
    filters.number === null
      ? [sql``]
      : [
          sql`and m.from_number = ${filters.number}`,
          sql`and m.to_number = ${filters.number} and m.from_number <> ${filters.number}`,
        ];
  const bounds: Fragment[] = [];
  if (filters.to !== null) bounds.push(sql`and m.to_number = ${filters.to}`);
  if (filters.from !== null) bounds.push(sql`and m.from_number = ${filters.from}`);
  if (filters.customerId !== null) bounds.push(sql`and m.customer_id = ${filters.customerId}`);
  if (filters.afterId !== null) bounds.push(sql`and m.id >= ${filters.afterId}::uuid`);
  if (filters.beforeId !== null) bounds.push(sql`and m.id < ${filters.beforeId}::uuid`);
  if (beforeCursor !== undefined) bounds.push(sql`and m.id < ${beforeCursor}::uuid`);
  const walks = filters.statuses.flatMap((status) =>
    sides.map(
      (side) => sql`(select ${raw(MESSAGE_COLUMNS)} from messages m
        where m.shard = ${account.shard} and m.account_id = ${account.id} and m.status = ${status}
        ${side} ${join(bounds, " ")} order by m.id desc limit ${limit})`,
    ),
  );
  return sql`select * from (${join(walks, " union all ")}) as merged order by id desc limit ${limit}`;
}
