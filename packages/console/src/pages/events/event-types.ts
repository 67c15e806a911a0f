import type { EventType } from "@longwave/sdk";

/**
 * Description of every event type. Exhaustive: an event type without a description fails to
 * compile.
 */
// biome-ignore format: one type per line, read as a table
export const EVENT_WORDS: Record<EventType, string> = {
  "message.sent":                "A carrier took a text",
  "message.delivered":           "A text arrived",
  "message.failed":              "A text failed for good",
  "message.received":            "Someone texted you",
  "message.opted_out":           "Someone opted out",
  "message.opted_in":            "Someone opted in",
  "conversation.updated":        "A conversation changed",
  "number.purchased":            "A number was added",
  "number.released":             "A number was released",
  "number.sender_updated":       "A number's sender state changed",
  "verification.sent":           "A code was sent",
  "verification.approved":       "A code was right",
  "verification.failed":         "A code was wrong",
  "verification.blocked":        "A verification was blocked",
  "deliverability.degraded":     "Delivery got worse",
  "spend.threshold_reached":     "Spending passed a threshold",
  "automation.run.started":      "An automation began",
  "automation.run.completed":    "An automation ended",
  "automation.run.failed":       "An automation failed",
  "automation.run.event":        "An automation's step emitted an event",
  "schedule.occurrence_skipped": "A schedule skipped a time",
  "schedule.paused":             "A schedule paused itself",
  "test.ping":                   "A test was sent",
  "broadcast.complete":          "A batch is complete",
};

export const EVENT_TYPES = Object.keys(EVENT_WORDS) as EventType[];
