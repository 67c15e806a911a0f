import { WEBHOOK_RETRY_DELAYS_SECONDS } from "@longwave/contract/tables";
import type { WebhookDelivery } from "@longwave/sdk";
import { useAct } from "../../api/queries.ts";
import { toast } from "../../ui/toast.tsx";

/**
 * Time of the next retry, counted from the end of the failed try; null after the last and after a
 * replay.
 */
export function nextRetryAt(attempt: WebhookDelivery): string | null {
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[attempt.attempt - 1];
  if (attempt.ok || attempt.replay || delaySeconds === undefined) return null;
  const endedMs = Date.parse(attempt.created_at) + attempt.latency_ms;
  return new Date(endedMs + delaySeconds * 1_000).toISOString();
}

/** Replays the event to the endpoint and reports the answer. */
export function useReplay(attempt: WebhookDelivery, onDone: () => void = () => {}) {
  return useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.events.replay(attempt.event_id, { endpoint_id: attempt.endpoint_id }, { idempotencyKey }),
    {
      stale: ["deliveries", "undelivered"],
      onDone: (made) => {
        onDone();
        toast(made.ok ? "Delivered." : `The endpoint answered ${made.status_code ?? made.error}.`);
      },
    },
  );
}
