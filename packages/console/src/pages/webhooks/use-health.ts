import type { WebhookDelivery } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import type { Tone } from "../../ui/looks.ts";

const ATTEMPTS_MAX = 100;
const REFETCH_MS = 15_000;
const DAY_MS = 86_400_000;

export interface Health {
  readonly attempts: number;
  /** Share of delivered attempts, from 0 to 1. */
  readonly rate: number;
  readonly p95Ms: number;
  readonly tone: Extract<Tone, "green" | "amber" | "red">;
}

/** Success rate and latency of an endpoint's newest attempts in 24 hours; null without any. */
export function useHealth(endpointId: string): Health | null {
  const newest = useRead(
    ["deliveries", endpointId, "health"],
    (api, signal) =>
      api.webhooks.deliveries(
        {
          endpoint_id: endpointId,
          created_after: new Date(serverMs() - DAY_MS).toISOString(),
          limit: ATTEMPTS_MAX,
        },
        { signal },
      ),
    { refetchMs: REFETCH_MS },
  );
  const attempts = newest.data?.data ?? [];
  if (attempts.length === 0) return null;
  const rate = attempts.filter((attempt) => attempt.ok).length / attempts.length;
  return {
    attempts: attempts.length,
    rate,
    p95Ms: p95Of(attempts),
    tone: rate === 1 ? "green" : rate > 0.5 ? "amber" : "red",
  };
}

function p95Of(attempts: readonly WebhookDelivery[]): number {
  const sorted = attempts.map((attempt) => attempt.latency_ms).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}
