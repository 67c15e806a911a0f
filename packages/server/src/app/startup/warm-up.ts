import type { RouteName } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { prepareRoute } from "../../http/server/mounts.ts";
import { warmUpLists } from "../../messaging/messages/index.ts";

/** What most programs do, and what most people look at. */
const FIRST_ASKED: readonly RouteName[] = ["messages.send", "messages.list", "messages.get"];

/**
 * Begun when all is there that requests are answered with. Nobody waits for it, and a start does not fail
 * with it: what it makes quick works without it.
 */
export function beginWarmUp(deps: Pick<Base, "db" | "clock" | "log">): void {
  const { clock, log } = deps;
  const startedMs = clock.monotonic();
  Promise.all([warmUpLists(deps), prepareFirstAsked()]).then(
    () => log.info({ ms: Math.round(clock.monotonic() - startedMs) }, "first calls were rehearsed"),
    (error: unknown) => log.warn({ err: error }, "first calls could not be rehearsed"),
  );
}

/** One at a time: requests may be waiting already. */
async function prepareFirstAsked(): Promise<void> {
  for (const name of FIRST_ASKED) {
    await yieldToEventLoop();
    prepareRoute(name);
  }
}
