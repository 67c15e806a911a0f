import type { WebhookDelivery } from "@longwave/sdk";

/** Attempts of one event at one endpoint, newest first. */
export interface EventAttempts {
  readonly newest: WebhookDelivery;
  readonly earlier: readonly WebhookDelivery[];
}

/** Groups attempts, newest first, by event; an event stands where its newest attempt does. */
export function groupByEvent(attempts: readonly WebhookDelivery[]): EventAttempts[] {
  const groups = new Map<string, { newest: WebhookDelivery; earlier: WebhookDelivery[] }>();
  for (const attempt of attempts) {
    const group = groups.get(attempt.event_id);
    if (group) group.earlier.push(attempt);
    else groups.set(attempt.event_id, { newest: attempt, earlier: [] });
  }
  return [...groups.values()];
}
