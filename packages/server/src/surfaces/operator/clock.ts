import { formatTimestamp, Problem } from "@longwave/contract";
import { isShifted, type ShiftedClock } from "../../core/platform/clock.ts";
import { advance } from "../../core/queue/advance.ts";
import type { WorkerDeps } from "../../core/queue/deps.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { AlreadyClaimed, findEarlier, transactOnce } from "../../http/idempotency/index.ts";

/** The operator's test clock. */
export const clockHandlers: HandlersOf<
  "operator.clock.get" | "operator.clock.advance",
  WorkerDeps
> = {
  "operator.clock.get": async ({ deps }) => {
    testClockOf(deps);
    return { status: 200, body: reading(deps) };
  },
  // Advancing may take minutes, so it holds no transaction. It holds a lock instead: the key is read before
  // the work and claimed after it. A request that waited with the same key finds the claim.
  "operator.clock.advance": async ({ deps, claim, serialize }, { body }) => {
    let read = reading(deps);
    await advance(deps, testClockOf(deps), body.seconds, {
      async before() {
        if (claim && (await findEarlier(deps, claim))) throw new AlreadyClaimed();
      },
      async after() {
        read = reading(deps);
        const answer = { status: 200, body: read };
        if (claim) await transactOnce({ deps, claim, serialize }, async () => answer);
      },
    });
    return { status: 200, body: read };
  },
};

function reading(deps: WorkerDeps): { object: "clock"; now: string } {
  return { object: "clock", now: formatTimestamp(deps.clock.now()) };
}

function testClockOf(deps: WorkerDeps): ShiftedClock {
  if (isShifted(deps.clock)) return deps.clock;
  throw new Problem(
    "not_found",
    "The test clock is off. Start with LONGWAVE_TEST_CLOCK=1 to use it.",
  );
}
