import type { RouteName } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { prepareRoute } from "../../http/server/mounts.ts";
import { warmUpLists } from "../../messaging/messages/index.ts";

/** Routes that most programs and people use first. */
const FIRST_USED: readonly RouteName[] = ["messages.send", "messages.list", "messages.get"];

/**
 * Warms up query plans and validators once dependencies are ready. Runs in the background; a failure does not
 * matter, because everything works without it.
 */
export function beginWarmUp(deps: Pick<Base, "db" | "clock" | "log">): void {
  const { clock, log } = deps;
  const startedMs = clock.monotonic();
  Promise.all([warmUpLists(deps), prepareFirstUsed()]).then(
    () => log.info({ ms: Math.round(clock.monotonic() - startedMs) }, "warm-up: done"),
    (error: unknown) => log.warn({ err: error }, "warm-up: failed"),
  );
}

/** One at a time: requests may be waiting already. */
async function prepareFirstUsed(): Promise<void> {
  for (const name of FIRST_USED) {
    await yieldToEventLoop();
    prepareRoute(name);
  }
}
