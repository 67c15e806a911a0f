import { formatTimestamp, Problem } from "@longwave/contract";
import type { Deps } from "../deps.ts";
import type { HandlersOf } from "../http/context.ts";

/** The operator's test clock. */
export const clockHandlers: HandlersOf<"operator.clock.get" | "operator.clock.advance"> = {
  "operator.clock.get": async ({ deps }) => {
    refuseWithoutTestClock(deps);
    return { status: 200, body: { object: "clock", now: formatTimestamp(deps.clock.now()) } };
  },
  "operator.clock.advance": async ({ deps }) => {
    refuseWithoutTestClock(deps);
    return { status: 200, body: { object: "clock", now: formatTimestamp(deps.clock.now()) } };
  },
};

function refuseWithoutTestClock(deps: Deps): void {
  if (deps.config.testClock) return;
  throw new Problem(
    "not_found",
    "The test clock is off. Start with LONGWAVE_TEST_CLOCK=1 to use it.",
  );
}
