import type { EventType } from "@longwave/sdk";

/** Every event type and what it tells. Total: a type added to the contract does not compile without. */
// biome-ignore format: one type per line, read as a table
export const EVENT_WORDS: Record<EventType, string> = {
  "message.sent":                "A carrier took a text",
  "message.delivered":           "A text arrived",
  "message.failed":              "A text failed for good",
  "message.received":            "Someone texted you",
  "message.opted_out":           "Someone opted out",
  "message.opted_in":            "Someone opted in",
  "number.purchased":            "A number was added",
  "number.released":             "A number was released",
  "number.sender_updated":       "A number's standing changed",
  "verification.sent":           "A code was sent",
  "verification.approved":       "A code was right",
  "verification.failed":         "A code was wrong",
  "verification.blocked":        "A verification was blocked",
  "deliverability.degraded":     "Delivery got worse",
  "spend.threshold_reached":     "Spending passed a threshold",
  "automation.run.started":      "An automation began",
  "automation.run.completed":    "An automation ended",
  "automation.run.failed":       "An automation failed",
  "automation.run.event":        "A step of an automation told of something",
  "schedule.occurrence_skipped": "A schedule skipped a time",
  "schedule.paused":             "A schedule paused itself",
  "test.ping":                   "A test from the console",
  "broadcast.complete":          "A batch is complete",
};

export const EVENT_TYPES = Object.keys(EVENT_WORDS) as EventType[];
