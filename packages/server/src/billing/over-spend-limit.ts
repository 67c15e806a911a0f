import { Problem } from "@longwave/contract";
import { dayOf, nextMonthMs } from "../platform/clock.ts";

/** The refusal of a call whose price would cross the account's own limit. `what` begins the sentence. */
export function overSpendLimit(what: string, nowMs: number): Problem {
  const resetsAtMs = nextMonthMs(nowMs);
  const retryAfterSeconds = Math.ceil((resetsAtMs - nowMs) / 1_000);
  return new Problem(
    "spend_limit_reached",
    `${what} would cross the account's monthly spend limit. Raise it with PATCH /v1/spend-limit, or wait until ${dayOf(resetsAtMs)}.`,
    { headers: { "retry-after": String(retryAfterSeconds) } },
  );
}
