import type { TimelineEntry } from "@longwave/sdk";
import { plural } from "../../ui/format.ts";

/** A timeline in its two lanes: the delivery of the message, and the webhooks that report it. */
export interface TimelineLanes {
  readonly delivery: readonly TimelineEntry[];
  readonly webhooks: readonly TimelineEntry[];
}

export function lanesOf(entries: readonly TimelineEntry[]): TimelineLanes {
  return {
    delivery: entries.filter((entry) => entry.step !== "webhook_attempt"),
    webhooks: entries.filter((entry) => entry.step === "webhook_attempt"),
  };
}

export function isBadAttempt(entry: TimelineEntry): boolean {
  return entry.step === "webhook_attempt" && entry.details["ok"] === false;
}

/**
 * State of the endpoints in one line: `3 endpoints: 2 delivered, 1 failing`. An endpoint fails while
 * the newest attempt of one of its events has.
 */
export function endpointSummary(attempts: readonly TimelineEntry[]): string {
  const newest = new Map<string, TimelineEntry>();
  for (const attempt of attempts) {
    const { endpoint_id, event_id } = attempt.details;
    newest.set(`${endpoint_id} ${event_id}`, attempt);
  }
  const endpoints = new Set(attempts.map(({ details }) => details["endpoint_id"]));
  const failing = new Set(
    [...newest.values()].filter(isBadAttempt).map(({ details }) => details["endpoint_id"]),
  );
  const delivered = endpoints.size - failing.size;
  const parts = [
    delivered > 0 ? `${delivered} delivered` : null,
    failing.size > 0 ? `${failing.size} failing` : null,
  ].filter((part) => part !== null);
  return `${plural(endpoints.size, "endpoint")}: ${parts.join(", ")}`;
}
