import type { Base } from "../base.ts";
import { rehearseLists } from "../messages/index.ts";

/**
 * Begun when all is there that requests are answered with. Nobody waits for it, and a start does not fail
 * with it: what it makes quick works without it.
 */
export function beginRehearsal(deps: Pick<Base, "db" | "clock" | "log">): void {
  const { clock, log } = deps;
  const startedMs = clock.monotonic();
  rehearseLists(deps).then(
    () => log.info({ ms: Math.round(clock.monotonic() - startedMs) }, "lists were rehearsed"),
    (error: unknown) => log.warn({ err: error }, "lists could not be rehearsed"),
  );
}
