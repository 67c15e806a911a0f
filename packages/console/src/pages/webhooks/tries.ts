import { WEBHOOK_RETRY_DELAYS_SECONDS } from "@longwave/contract/tables";
import type { WebhookDelivery } from "@longwave/sdk";
import { useAct } from "../../api/queries.ts";
import { toast } from "../../ui/toast.tsx";

/** Retries are counted from the end of a failed try; after the last, and after a replay, there is none. */
export function nextTryOf(tried: WebhookDelivery): string | null {
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[tried.attempt - 1];
  if (tried.ok || tried.replay || delaySeconds === undefined) return null;
  const endedMs = Date.parse(tried.created_at) + tried.latency_ms;
  return new Date(endedMs + delaySeconds * 1_000).toISOString();
}

/** Sends the event to the endpoint once more, and tells how that was answered. */
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
