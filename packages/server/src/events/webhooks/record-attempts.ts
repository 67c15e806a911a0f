import {
  type EventType,
  formatTimestamp,
  WEBHOOK_JOB_MOVES,
  WEBHOOK_RETRY_DELAYS_SECONDS,
} from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { notByIndex } from "../../core/db/driver/sql-builder.ts";
import { columnsOf, statement } from "../../core/db/driver/statement.ts";
import { fromApiId, type Ids } from "../../core/platform/ids.ts";
import type { GroupMeter } from "../../core/platform/metrics.ts";
import type { Lease } from "../../core/queue/lane.ts";
import { RELEASE_LEASE } from "../../core/queue/lease.ts";
import type { EventRow } from "../log/index.ts";
import type { AttemptResult } from "./attempt.ts";
import type { DeliveryRow } from "./delivery-row.ts";

/** Outcome of an attempt, with its consequence for the job. */
export interface MadeAttempt {
  readonly shard: number;
  readonly delivery: DeliveryRow;
  readonly messageId: string | null;
  /** Null for tests and replays. */
  readonly job: { readonly lease: Lease; readonly retryAt: number | null } | null;
}

const IS_MOVED = "(i.replay and i.ok or j.leased_by = i.held_by and j.lease_epoch = i.held_epoch)";

/**
 * Logs attempts and moves their jobs. A delivered job is deleted; so is one whose last attempt failed, and
 * its event becomes undelivered. Only the lease's holder moves a job, except that a successful replay always
 * deletes it.
 *
 * $3 has the events of all items, $4 the events that a replay delivered. The statement finds rows by these
 * keys, so a plan made on empty tables still uses the primary key.
 */
const recordAttempts = statement(
  "record_webhook_attempts",
  `with i as (
     select x.* from json_to_recordset($2::json) as x (
       id uuid, account_id uuid, mode text, endpoint_id uuid, event_id uuid, event_type text, message_id uuid,
       attempt int, ok bool, status_code int, error text, latency_ms int, response_body text,
       replay bool, created_at timestamptz,
       held_by uuid, held_epoch bigint, retry_at timestamptz)
   ), logged as (
     insert into webhook_deliveries (shard, account_id, mode, id, endpoint_id, event_id, event_type, message_id,
       attempt, ok, status_code, error, latency_ms, response_body, replay, created_at)
     select $1, account_id, mode, id, endpoint_id, event_id, event_type, message_id,
       attempt, ok, status_code, error, latency_ms, response_body, replay, created_at
       from i
   ), finished as (
     delete from webhook_jobs j using i
      where j.shard = $1 and j.event_id = any($3::uuid[])
        and j.event_id = i.event_id and j.endpoint_id = i.endpoint_id and ${IS_MOVED}
        and (i.ok or i.retry_at is null)
     returning i.*
   ), retried as (
     update webhook_jobs j
        set attempt = i.attempt + 1, due_at = i.retry_at,
            queue_state = ${sqlLiteral(WEBHOOK_JOB_MOVES.attempt_failed.to)}, ${RELEASE_LEASE}
       from i
      where j.shard = $1 and j.event_id = any($3::uuid[])
        and j.event_id = i.event_id and j.endpoint_id = i.endpoint_id and ${IS_MOVED}
        and not i.ok and i.retry_at is not null
        and ${comesFrom("j.queue_state", WEBHOOK_JOB_MOVES.attempt_failed)}
   ), given_up as (
     insert into webhook_undelivered
       (shard, account_id, mode, endpoint_id, event_id, attempts, last_status_code, last_attempt_at)
     select $1, account_id, mode, endpoint_id, event_id, attempt, status_code, created_at
       from finished where not ok
     on conflict do nothing
   )
   delete from webhook_undelivered u using i
    where i.ok and i.replay and u.shard = $1 and u.event_id = any($4::uuid[])
      and u.event_id = i.event_id and u.endpoint_id = i.endpoint_id`,
  { moves: [WEBHOOK_JOB_MOVES.attempt_failed], profile: "queues" },
);

/** A fast path for delivered jobs, nearly all there are: columns as arrays, and nothing to decide. */
export const recordDelivered = statement(
  "record_delivered_webhooks",
  `with logged as (
     insert into webhook_deliveries (shard, account_id, mode, id, endpoint_id, event_id, event_type, message_id,
       attempt, ok, status_code, latency_ms, response_body, replay, created_at)
     select $1, i.account_id, i.mode, i.id, i.endpoint_id, i.event_id, i.event_type, i.message_id,
       i.attempt, true, i.status_code, i.latency_ms, i.response_body, false, i.created_at
       from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $12::uuid[], $7::int[],
         $8::int[], $9::int[], $10::text[], $11::timestamptz[], $15::text[])
         as i (event_id, endpoint_id, account_id, id, event_type, message_id, attempt,
           status_code, latency_ms, response_body, created_at, mode)
   )
   delete from webhook_jobs j
    where j.shard = $1 and j.event_id = any($2::uuid[])
      and ${notByIndex(`(j.event_id, j.endpoint_id, j.leased_by, j.lease_epoch)
           in (select * from unnest($2::uuid[], $3::uuid[], $13::uuid[], $14::bigint[]))`)}`,
  { profile: "queues" },
);

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 20_000;

export type AttemptWriter = Group<MadeAttempt, void>;

/** Records attempts by group commit. */
export function createAttemptWriter(db: Database, meter: GroupMeter): AttemptWriter {
  return createGroup<MadeAttempt, void>({
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    meter,
    isItemFault: (error) => !isUnavailable(error),
    async write(items) {
      for (const shard of new Set(items.map((item) => item.shard))) {
        const group = items.filter((item) => item.shard === shard).sort(byKey);
        const delivered = group.filter(isDelivered);
        const others = group.filter((item) => !isDelivered(item));
        if (delivered.length > 0) await db.query(recordDelivered, columnValues(shard, delivered));
        if (others.length > 0) await db.query(recordAttempts, valuesOf(shard, others));
      }
      return items.map(() => undefined);
    },
  });
}

/** One lock order for all writers of these rows. */
function byKey({ delivery: a }: MadeAttempt, { delivery: b }: MadeAttempt): number {
  if (a.event_id !== b.event_id) return a.event_id < b.event_id ? -1 : 1;
  return a.endpoint_id < b.endpoint_id ? -1 : 1;
}

type DeliveredJob = MadeAttempt & { readonly job: NonNullable<MadeAttempt["job"]> };

function isDelivered(item: MadeAttempt): item is DeliveredJob {
  return item.job !== null && item.delivery.ok;
}

const { plain, text } = columnsOf<DeliveredJob>();

// biome-ignore format: read as a table
const DELIVERED_COLUMNS = [
  plain("event_ids",       "uuid",        ({ delivery }) => delivery.event_id),
  plain("endpoint_ids",    "uuid",        ({ delivery }) => delivery.endpoint_id),
  plain("account_ids",     "uuid",        ({ delivery }) => delivery.account_id),
  plain("ids",             "uuid",        ({ delivery }) => delivery.id),
  plain("event_types",     "text",        ({ delivery }) => delivery.event_type),
  plain("attempts",        "integer",     ({ delivery }) => delivery.attempt),
  plain("status_codes",    "integer",     ({ delivery }) => delivery.status_code),
  plain("latencies_ms",    "integer",     ({ delivery }) => delivery.latency_ms),
  text ("response_bodies",                ({ delivery }) => delivery.response_body),
  plain("moments",         "timestamptz", ({ delivery }) => formatTimestamp(delivery.created_at)),
  plain("message_ids",     "uuid",        ({ messageId }) => messageId),
  plain("held_by",         "uuid",        ({ job }) => job.lease.by),
  plain("held_epochs",     "bigint",      ({ job }) => job.lease.epoch),
  plain("modes",           "text",        ({ delivery }) => delivery.mode),
];

function columnValues(shard: number, items: readonly DeliveredJob[]): unknown[] {
  return [shard, ...DELIVERED_COLUMNS.map((column) => column.textOf(items))];
}

function valuesOf(shard: number, items: readonly MadeAttempt[]): unknown[] {
  const eventIds = items.map((item) => item.delivery.event_id);
  const replayed = items.filter(({ delivery }) => delivery.replay && delivery.ok);
  const replayedIds = replayed.map((item) => item.delivery.event_id);
  return [shard, JSON.stringify(items.map(itemJson)), eventIds, replayedIds];
}

function itemJson(item: MadeAttempt): object {
  const { delivery, job } = item;
  // JSON leaves out what is undefined, and PostgreSQL reads that as null.
  return {
    id: delivery.id,
    account_id: delivery.account_id,
    mode: delivery.mode,
    endpoint_id: delivery.endpoint_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    message_id: item.messageId ?? undefined,
    attempt: delivery.attempt,
    ok: delivery.ok,
    status_code: delivery.status_code ?? undefined,
    error: delivery.error ?? undefined,
    latency_ms: delivery.latency_ms,
    response_body: delivery.response_body ?? undefined,
    replay: delivery.replay,
    created_at: formatTimestamp(delivery.created_at),
    held_by: job?.lease.by,
    held_epoch: job?.lease.epoch,
    retry_at: job?.retryAt ? formatTimestamp(job.retryAt) : undefined,
  };
}

/** Makes an attempt's entry for the log. */
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
    mode: event.mode,
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

/** The time of the attempt after a failed one; null after the last. */
export function retryAtAfter(attempt: number, endedAt: number): number | null {
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[attempt - 1];
  return delaySeconds === undefined ? null : endedAt + delaySeconds * 1_000;
}

/** Longwave's own events begin with their message's id: the rest needs no parsing. */
const MESSAGE_ID_FIRST = /^\{"message_id":"(\w+)"/;

/** The message of an event, for the message's timeline. */
export function messageIdOf(event: EventRow): string | null {
  if (!event.type.startsWith("message.")) return null;
  const [, first] = MESSAGE_ID_FIRST.exec(event.data) ?? [];
  if (first) return fromApiId("message", first);
  const { message_id: id } = JSON.parse(event.data) as { message_id?: unknown };
  return typeof id === "string" ? fromApiId("message", id) : null;
}
