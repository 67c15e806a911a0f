import { type EventType, WEBHOOK_RETRY_DELAYS_SECONDS } from "@longwave/contract";
import type { Database } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import { statement } from "../db/statement.ts";
import type { EventRow } from "../events/index.ts";
import { fromApiId, type Ids } from "../platform/ids.ts";
import type { GroupMeter } from "../platform/metrics.ts";
import type { Lease } from "../queue/lane.ts";
import { RELEASE_LEASE } from "../queue/lease.ts";
import type { AttemptResult } from "./attempt.ts";
import type { DeliveryRow } from "./delivery-row.ts";

/** An attempt that was made, to be written down with what follows from it. */
export interface MadeAttempt {
  readonly shard: number;
  readonly delivery: DeliveryRow;
  readonly messageId: string | null;
  /** The job it was made for; null for tests and replays. */
  readonly job: { readonly lease: Lease; readonly retryAt: number | null } | null;
}

/**
 * Logs attempts and moves their jobs along. A job that was delivered is done; so is one whose last
 * attempt failed, and its event is kept as undelivered. Only the holder of the lease moves a job,
 * and a replay that succeeded ends it whoever holds it. Rows are locked in one order.
 */
const recordAttempts = statement(
  "record_webhook_attempts",
  `with i as (
     select x.* from jsonb_to_recordset($2::jsonb) as x (
       id uuid, account_id uuid, endpoint_id uuid, event_id uuid, event_type text, message_id uuid,
       attempt int, ok bool, status_code int, error text, latency_ms int, response_body text,
       replay bool, created_at timestamptz,
       held_by uuid, held_epoch bigint, retry_at timestamptz)
   ), logged as (
     insert into webhook_deliveries (shard, account_id, id, endpoint_id, event_id, event_type, message_id,
       attempt, ok, status_code, error, latency_ms, response_body, replay, created_at)
     select $1, account_id, id, endpoint_id, event_id, event_type, message_id,
       attempt, ok, status_code, error, latency_ms, response_body, replay, created_at
       from i
   ), held as (
     select j.event_id, j.endpoint_id, i.account_id, i.attempt, i.ok, i.status_code, i.retry_at, i.created_at
       from webhook_jobs j
       join i on i.event_id = j.event_id and i.endpoint_id = j.endpoint_id
      where j.shard = $1
        and (i.replay and i.ok or j.leased_by = i.held_by and j.lease_epoch = i.held_epoch)
      order by j.event_id, j.endpoint_id
      for update of j
   ), finished as (
     delete from webhook_jobs j using held h
      where j.shard = $1 and j.event_id = h.event_id and j.endpoint_id = h.endpoint_id
        and (h.ok or h.retry_at is null)
   ), retried as (
     update webhook_jobs j
        set attempt = h.attempt + 1, due_at = h.retry_at, place = 'open', ${RELEASE_LEASE}
       from held h
      where j.shard = $1 and j.event_id = h.event_id and j.endpoint_id = h.endpoint_id
        and not h.ok and h.retry_at is not null
   ), given_up as (
     insert into webhook_undelivered
       (shard, account_id, endpoint_id, event_id, attempts, last_status_code, last_attempt_at)
     select $1, account_id, endpoint_id, event_id, attempt, status_code, created_at
       from held where not ok and retry_at is null
     on conflict do nothing
   )
   delete from webhook_undelivered u using i
    where i.ok and i.replay and u.shard = $1 and u.event_id = i.event_id and u.endpoint_id = i.endpoint_id`,
);

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 20_000;

export type AttemptWriter = Group<MadeAttempt, void>;

/** Writes attempts by groups: the more deliveries a second, the more share one commit. */
export function createAttemptWriter(db: Database, meter: GroupMeter): AttemptWriter {
  return createGroup<MadeAttempt, void>({
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    meter,
    isItemFault: (error) => !isUnavailable(error),
    async write(items) {
      for (const shard of new Set(items.map((item) => item.shard))) {
        const group = items.filter((item) => item.shard === shard);
        await db.query(recordAttempts, [shard, JSON.stringify(group.map(itemJson))]);
      }
      return items.map(() => undefined);
    },
  });
}

function itemJson(item: MadeAttempt): object {
  const { delivery, job } = item;
  return {
    ...delivery,
    message_id: item.messageId,
    created_at: new Date(delivery.created_at).toISOString(),
    held_by: job?.lease.by ?? null,
    held_epoch: job?.lease.epoch ?? null,
    retry_at: job?.retryAt ? new Date(job.retryAt).toISOString() : null,
  };
}

/** The attempt as the log keeps it. */
export function deliveryOf(
  ids: Ids,
  target: { readonly accountId: string; readonly endpointId: string },
  event: EventRow,
  result: AttemptResult,
  how: { readonly attempt: number; readonly replay: boolean },
): DeliveryRow {
  return {
    id: ids.makeAt(result.startedAt),
    account_id: target.accountId,
    endpoint_id: target.endpointId,
    event_id: event.id,
    event_type: event.type as EventType,
    attempt: how.attempt,
    ok: result.ok,
    status_code: result.statusCode,
    error: result.error,
    latency_ms: result.latencyMs,
    response_body: result.responseBody,
    replay: how.replay,
    created_at: result.startedAt,
  };
}

/** When a failed attempt is followed by the next; null after the last. */
export function retryAtAfter(attempt: number, endedAt: number): number | null {
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[attempt - 1];
  return delaySeconds === undefined ? null : endedAt + delaySeconds * 1_000;
}

/** The message that an event tells of, for the message's timeline. */
export function messageIdOf(event: EventRow): string | null {
  if (!event.type.startsWith("message.")) return null;
  const { message_id: id } = JSON.parse(event.data) as { message_id?: unknown };
  return typeof id === "string" ? fromApiId("message", id) : null;
}
