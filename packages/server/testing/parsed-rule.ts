import {
  parseRule,
  type StoredRule,
} from "../src/messaging/recurring-schedules/next-occurrence.ts";

/** Creation time of the rules. */
export const RULE_CREATED_MS = Date.UTC(2026, 0, 1);

/** A rule in New York, with what the test gives it. */
export function parsedRule(text: Partial<StoredRule>) {
  return parseRule({
    rrule: null,
    cron: null,
    time_zone: "America/New_York",
    start_at: null,
    end_at: null,
    created_at: RULE_CREATED_MS,
    ...text,
  });
}
