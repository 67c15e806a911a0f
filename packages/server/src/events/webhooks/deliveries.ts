import {
  EVENT_RETENTION_DAYS,
  type Mode,
  type RouteInput,
  type WebhookDelivery,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { type Statement, statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt, fromApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { type DeliveryRow, presentDelivery } from "./delivery-row.ts";
import { unknownParam } from "./endpoint-row.ts";

const RETENTION_MS = EVENT_RETENTION_DAYS * 86_400_000;
const TIMELINE_ENTRIES_MAX = 200;

const DELIVERY_COLUMNS =
  "d.id, d.account_id, d.mode, d.endpoint_id, d.event_id, d.event_type, d.attempt, d.ok, d.status_code, d.error, d.latency_ms, d.response_body, d.replay, d.created_at";

/** A deleted endpoint stays known as long as its log entries exist. */
const isKnownEndpoint = statement(
  "is_known_webhook_endpoint",
  `select 1 as known from webhook_endpoints where shard = $1 and account_id = $2 and id = $3
   union all
   (select 1 from webhook_deliveries
     where shard = $1 and account_id = $2 and mode in ('test', 'live') and endpoint_id = $3 limit 1)
   limit 1`,
);

const isKnownEvent = statement(
  "is_known_event",
  "select 1 as known from events where shard = $1 and account_id = $2 and id = $3 and mode = $4",
);

const readMessageDeliveries = statement(
  "read_message_deliveries",
  `select ${DELIVERY_COLUMNS}, e.url from webhook_deliveries d
     left join webhook_endpoints e on e.shard = d.shard and e.account_id = d.account_id and e.id = d.endpoint_id
    where d.shard = $1 and d.message_id = $3 and d.account_id = $2
    order by d.id limit $4`,
);

const readEventDeliveries = statement(
  "read_event_deliveries",
  `select ${DELIVERY_COLUMNS} from webhook_deliveries d
    where d.shard = $1 and d.event_id = any($2::uuid[]) and d.account_id = $3 and d.mode = $4
    order by d.id desc limit $5`,
);

/** The newest attempts at delivering these events (UUIDs), newest first. */
export async function deliveriesOfEvents(
  db: Queryable,
  { account, mode }: { readonly account: AccountRef; readonly mode: Mode },
  eventIds: readonly string[],
  limit: number,
): Promise<WebhookDelivery[]> {
  const values = [account.shard, eventIds, account.id, mode, limit];
  return (await db.query<DeliveryRow>(readEventDeliveries, values)).map(presentDelivery);
}

/** Filters of the delivery log. */
export interface DeliveryFilters {
  readonly endpointId: string | null;
  readonly eventId: string | null;
  readonly ok: boolean | null;
  /** Time range, including this start and excluding the end. */
  readonly createdAfterMs: number | null;
  readonly createdBeforeMs: number | null;
}

export const EVERY_DELIVERY: DeliveryFilters = {
  endpointId: null,
  eventId: null,
  ok: null,
  createdAfterMs: null,
  createdBeforeMs: null,
};

/** GET /webhooks/deliveries: newest first, attempts for events of the caller's mode. */
export async function listDeliveries(
  deps: Base,
  caller: ModedCaller,
  query: RouteInput<"webhooks.deliveries">["query"],
): Promise<PageAnswer<WebhookDelivery>> {
  const { account, mode } = caller;
  const filters = {
    endpointId: await endpointFilter(deps.db, account, query.endpoint_id),
    eventId: await eventFilter(deps.db, caller, query.event_id),
    ok: query.ok ?? null,
    createdAfterMs: parseTimestampParam(query.created_after, "created_after"),
    createdBeforeMs: parseTimestampParam(query.created_before, "created_before"),
  };
  const scope = {
    list: "webhooks.deliveries",
    owner: account.id,
    filters: { ...filters, mode },
  };
  const page = pageRequest(deps.secrets, scope, query);
  const after = (page.after?.[0] as string | undefined) ?? null;
  const rows = await readDeliveries(deps, caller, filters, after, page.limit + 1);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentDelivery);
}

/** Entries below an id, newest first. */
export async function readDeliveries(
  deps: Base,
  { account, mode }: ModedCaller,
  filters: DeliveryFilters,
  belowId: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  const conditions: Fragment[] = [
    sql`d.shard = ${account.shard}`,
    sql`d.account_id = ${account.id}`,
    sql`d.mode = ${mode}`,
    sql`d.id >= ${firstUuidAt(deps.clock.now() - RETENTION_MS)}::uuid`,
  ];
  if (filters.endpointId !== null) conditions.push(sql`d.endpoint_id = ${filters.endpointId}`);
  if (filters.eventId !== null) conditions.push(sql`d.event_id = ${filters.eventId}`);
  if (filters.ok !== null) conditions.push(filters.ok ? raw("d.ok") : raw("not d.ok"));
  // An entry's id starts with its creation time, so a date is a bound on ids.
  if (filters.createdAfterMs !== null) {
    conditions.push(sql`d.id >= ${firstUuidAt(filters.createdAfterMs)}::uuid`);
  }
  if (filters.createdBeforeMs !== null) {
    conditions.push(sql`d.id < ${firstUuidAt(filters.createdBeforeMs)}::uuid`);
  }
  if (belowId !== null) conditions.push(sql`d.id < ${belowId}::uuid`);
  return deps.db.query<DeliveryRow>(
    composed(
      "list_webhook_deliveries",
      sql`select ${raw(DELIVERY_COLUMNS)} from webhook_deliveries d
         where ${join(conditions, " and ")} order by d.id desc limit ${limit}`,
      // Failed entries have an index; successful ones are nearly all entries, or rare.
      filters.ok === true ? { profile: "scans" } : {},
    ),
  );
}

/** Attempt with the address of its endpoint; null once the endpoint is deleted. */
export interface MessageDelivery {
  readonly delivery: WebhookDelivery;
  readonly url: string | null;
}

/** Webhook attempts for events of one message (its UUID), oldest first, for its timeline. */
export async function deliveriesOfMessage(
  db: Queryable,
  account: { readonly shard: number; readonly id: string },
  messageId: string,
): Promise<MessageDelivery[]> {
  const values = [account.shard, account.id, messageId, TIMELINE_ENTRIES_MAX];
  const rows = await db.query<DeliveryRow & { url: string | null }>(readMessageDeliveries, values);
  return rows.map((row) => ({ delivery: presentDelivery(row), url: row.url }));
}

/** UUID of the endpoint in a query, or 400; null without one. */
export function endpointFilter(
  db: Queryable,
  account: AccountRef,
  given: string | undefined,
): Promise<string | null> {
  const id = given === undefined ? null : fromApiId("webhook_endpoint", given);
  return known(db, isKnownEndpoint, "endpoint_id", given, [account.shard, account.id, id]);
}

function eventFilter(
  db: Queryable,
  { account, mode }: ModedCaller,
  given: string | undefined,
): Promise<string | null> {
  const id = given === undefined ? null : fromApiId("event", given);
  return known(db, isKnownEvent, "event_id", given, [account.shard, account.id, id, mode]);
}

async function known(
  db: Queryable,
  statement: Statement,
  param: string,
  given: string | undefined,
  values: readonly [shard: number, accountId: string, id: string | null, ...rest: string[]],
): Promise<string | null> {
  if (given === undefined) return null;
  const [, , id] = values;
  const rows = id === null ? [] : await db.query(statement, values);
  if (rows.length === 0) throw unknownParam(param, given);
  return id;
}
