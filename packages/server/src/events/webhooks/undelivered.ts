import {
  EVENT_RETENTION_DAYS,
  formatTimestamp,
  type RouteInput,
  type UndeliveredEvent,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { type EventRow, eventOf, oldestShownId, presentEvent } from "../log/index.ts";
import { endpointFilter } from "./deliveries.ts";

const RETENTION_MS = EVENT_RETENTION_DAYS * 86_400_000;

interface UndeliveredRow extends EventRow {
  readonly endpoint_id: string;
  readonly attempts: number;
  readonly last_status_code: number | null;
  readonly last_attempt_at: number;
}

const findUndeliveredEvent = statement(
  "find_undelivered_event",
  `select e.id, e.seq, e.type, e.mode, e.created_at, e.data::text as data
     from webhook_undelivered u join events e on e.shard = $1 and e.account_id = $2 and e.id = $3
    where u.shard = $1 and u.account_id = $2 and u.event_id = $3 and u.mode = $5 and u.last_attempt_at >= $4
    limit 1`,
);

/** Event of the caller's mode to send again: within retention, or, at any age, listed as undelivered. */
export async function replayableEvent(
  deps: Base,
  caller: ModedCaller,
  apiId: string,
): Promise<EventRow> {
  const { account, mode } = caller;
  const id = fromApiId("event", apiId);
  if (id !== null && id < oldestShownId(deps.clock)) {
    const values = [account.shard, account.id, id, listedSince(deps), mode];
    const [event] = await deps.db.query<EventRow>(findUndeliveredEvent, values);
    if (event) return event;
  }
  return eventOf(deps, deps.db, caller, apiId);
}

/** Start of the listing period, counted from the last attempt of an event; replays do not count. */
export function listedSince(deps: Base): Date {
  return new Date(deps.clock.now() - RETENTION_MS);
}

/** GET /webhooks/undelivered: events of the caller's mode that no attempt delivered, newest first. */
export async function listUndelivered(
  deps: Base,
  { account, mode }: ModedCaller,
  query: RouteInput<"webhooks.undelivered">["query"],
): Promise<PageAnswer<UndeliveredEvent>> {
  const { endpoint_id } = query;
  const scope = { list: "webhooks.undelivered", owner: account.id, filters: { mode, endpoint_id } };
  const page = pageRequest(deps.secrets, scope, query);
  const endpointId = await endpointFilter(deps.db, account, endpoint_id);
  const ofEndpoint = endpointId === null ? sql`` : sql`and u.endpoint_id = ${endpointId}`;
  const [eventId, afterEndpointId] = page.after ?? [];
  const after =
    page.after === null
      ? sql``
      : sql`and (u.event_id, u.endpoint_id) < (${eventId}::uuid, ${afterEndpointId}::uuid)`;
  const since = listedSince(deps);
  const rows = await deps.db.query<UndeliveredRow>(
    composed(
      "list_undelivered",
      sql`select u.endpoint_id, u.attempts, u.last_status_code, u.last_attempt_at,
               e.id, e.seq, e.type, e.mode, e.created_at, e.data::text as data
          from webhook_undelivered u
          join webhook_endpoints w
            on w.shard = u.shard and w.account_id = u.account_id and w.id = u.endpoint_id and w.slot > 0
          join events e on e.shard = u.shard and e.id = u.event_id
         where u.shard = ${account.shard} and u.account_id = ${account.id} and u.mode = ${mode}
           and u.last_attempt_at >= ${since} ${ofEndpoint} ${after}
         order by u.event_id desc, u.endpoint_id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.id, row.endpoint_id],
    presentUndelivered,
  );
}

function presentUndelivered(row: UndeliveredRow): UndeliveredEvent {
  return {
    object: "undelivered_event",
    event: presentEvent(row),
    endpoint_id: toApiId("webhook_endpoint", row.endpoint_id),
    attempts: row.attempts,
    last_status_code: row.last_status_code,
    last_attempt_at: formatTimestamp(row.last_attempt_at),
  };
}
