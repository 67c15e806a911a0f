import { formatTimestamp, type IdKind, type Message, microsToUsd } from "@longwave/contract";
import type { MessageRow } from "../handover/index.ts";
import { presentFailure } from "../handover/index.ts";
import { toApiId } from "../platform/ids.ts";
import { jsonString, jsonStringOrNull } from "../platform/json-text.ts";

/** A row as the API shows it. */
export function presentMessage(row: MessageRow): Message {
  return {
    id: toApiId("message", row.id),
    object: "message",
    status: row.status,
    direction: row.direction,
    from: row.from_number,
    to: row.to_number,
    body: row.body,
    segments: row.segments,
    encoding: row.encoding,
    price: microsToUsd(row.price_micros),
    simulated: row.simulated,
    auto_reply: row.auto_reply,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    pool_id: row.pool_id === null ? null : toApiId("pool", row.pool_id),
    batch_id: row.batch_id === null ? null : toApiId("batch", row.batch_id),
    scheduled_message_id:
      row.scheduled_message_id === null
        ? null
        : toApiId("scheduled_message", row.scheduled_message_id),
    next_attempt_at: moment(row.next_attempt_at),
    failure: row.failure_code === null ? null : presentFailure(row.failure_code, row.carrier_code),
    carrier: row.carrier,
    created_at: formatTimestamp(row.created_at),
    sent_at: moment(row.sent_at),
    delivered_at: moment(row.delivered_at),
    failed_at: moment(row.failed_at),
  };
}

/** The same as JSON: the answer of every send. */
export function messageText(row: MessageRow): string {
  const failure =
    row.failure_code === null
      ? "null"
      : JSON.stringify(presentFailure(row.failure_code, row.carrier_code));
  return `{"id":"${toApiId("message", row.id)}","object":"message","status":"${row.status}","direction":"${
    row.direction
  }","from":${jsonString(row.from_number)},"to":${jsonString(row.to_number)},"body":${JSON.stringify(
    row.body,
  )},"segments":${row.segments},"encoding":"${row.encoding}","price":${microsToUsd(
    row.price_micros,
  )},"simulated":${row.simulated},"auto_reply":${row.auto_reply},"customer_id":${idText(
    "customer",
    row.customer_id,
  )},"pool_id":${idText("pool", row.pool_id)},"batch_id":${idText(
    "batch",
    row.batch_id,
  )},"scheduled_message_id":${idText(
    "scheduled_message",
    row.scheduled_message_id,
  )},"next_attempt_at":${momentText(row.next_attempt_at)},"failure":${failure},"carrier":${jsonStringOrNull(
    row.carrier,
  )},"created_at":${momentText(row.created_at)},"sent_at":${momentText(row.sent_at)},"delivered_at":${momentText(
    row.delivered_at,
  )},"failed_at":${momentText(row.failed_at)}}`;
}

function idText(kind: IdKind, uuid: string | null): string {
  return uuid === null ? "null" : `"${toApiId(kind, uuid)}"`;
}

function momentText(ms: number | null): string {
  return ms === null ? "null" : `"${formatTimestamp(ms)}"`;
}

function moment(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms);
}
