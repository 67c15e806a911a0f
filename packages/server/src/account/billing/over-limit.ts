import { Problem } from "@longwave/contract";
import { dayOf, nextDayMs, nextMonthMs } from "../../core/platform/clock.ts";

/** Refuses a call whose price would exceed the account's spend limit. `what` begins the sentence. */
export function overSpendLimit(what: string, nowMs: number): Problem {
  const resetsAtMs = nextMonthMs(nowMs);
  return new Problem(
    "spend_limit_reached",
    `${what} would cross the account's monthly spend limit. Raise it with PATCH /v1/spend-limit, or wait until ${dayOf(resetsAtMs)}.`,
    { headers: retryAt(resetsAtMs, nowMs) },
  );
}

/** Refuses a live message beyond the account's daily quota. */
export function overQuota(nowMs: number): Problem {
  return new Problem("quota_exceeded", "Today's quota of live messages is used up.", {
    headers: retryAt(nextDayMs(nowMs), nowMs),
  });
}

function retryAt(atMs: number, nowMs: number): Record<string, string> {
  return { "retry-after": String(Math.ceil((atMs - nowMs) / 1_000)) };
}
