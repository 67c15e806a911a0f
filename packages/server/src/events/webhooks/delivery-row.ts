import {
  type EventType,
  formatTimestamp,
  type Mode,
  WEBHOOK_ERROR_TEXTS,
  type WebhookDelivery,
  type WebhookError,
} from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";

/** Log row of one attempt. */
export interface DeliveryRow {
  readonly id: string;
  readonly account_id: string;
  readonly mode: Mode;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: EventType;
  readonly attempt: number;
  readonly ok: boolean;
  readonly status_code: number | null;
  readonly error: WebhookError | null;
  readonly latency_ms: number;
  readonly response_body: string | null;
  readonly replay: boolean;
  readonly created_at: number;
}

export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: toApiId("webhook_delivery", row.id),
    object: "webhook_delivery",
    endpoint_id: toApiId("webhook_endpoint", row.endpoint_id),
    event_id: toApiId("event", row.event_id),
    event_type: row.event_type,
    mode: row.mode,
    attempt: row.attempt,
    ok: row.ok,
    status_code: row.status_code,
    error: row.error,
    explanation: row.error === null ? null : WEBHOOK_ERROR_TEXTS[row.error],
    latency_ms: row.latency_ms,
    response_body: row.response_body,
    replay: row.replay,
    created_at: formatTimestamp(row.created_at),
  };
}
