import { formatTimestamp, Problem } from "@longwave/contract";
import type { Deps } from "../deps.ts";
import type { HandlersOf } from "../http/context.ts";
import { isShifted, type ShiftedClock } from "../platform/clock.ts";
import { advance } from "./advance.ts";

/** The operator's test clock. */
export const clockHandlers: HandlersOf<"operator.clock.get" | "operator.clock.advance"> = {
  "operator.clock.get": async ({ deps }) => {
    testClockOf(deps);
    return { status: 200, body: reading(deps) };
  },
  // The walk holds no transaction: it may take minutes. So the key is claimed after it, and two
  // calls at once with one key move the clock twice.
  "operator.clock.advance": async ({ deps, transact }, { body }) => {
    await advance(deps, testClockOf(deps), body.seconds);
    return transact(async () => ({ status: 200, body: reading(deps) }));
  },
};

function reading(deps: Deps): { object: "clock"; now: string } {
  return { object: "clock", now: formatTimestamp(deps.clock.now()) };
}

function testClockOf(deps: Deps): ShiftedClock {
  if (isShifted(deps.clock)) return deps.clock;
  throw new Problem(
    "not_found",
    "The test clock is off. Start with LONGWAVE_TEST_CLOCK=1 to use it.",
  );
}
