import type { LeasedBinds, OwnedBind } from "./leased-binds.ts";

/** Longest time for which a message is offered to a busy carrier within one attempt. */
const BUSY_MS_MAX = 120_000;
/**
 * Longest wait of a reserved message for a link that went down. Then the message goes to another
 * link.
 */
const LINK_WAIT_MS_MAX = 2_000;
export const WAIT_STEP_MS = 250;

/**
 * Reason not to submit a reserved message, now or soon; null while waiting makes sense. `laterMsMax`: an earlier part of
 * the message has left, so a stop still lets the rest leave, and a busy carrier gets it for so long.
 */
export function notSentReason<B extends OwnedBind>(
  binds: LeasedBinds<B>,
  bind: B,
  waitedMs: number,
  laterMsMax: number | null,
): string | null {
  const isLater = laterMsMax !== null;
  if (binds.stopping.aborted && !isLater) return "The link is being stopped.";
  if (!binds.own.includes(bind)) return "Another process has the bind.";
  // Later parts must leave on the bind of the first part.
  if (!bind.isUp && !isLater && waitedMs > LINK_WAIT_MS_MAX) return "The link is down.";
  return waitedMs > (laterMsMax ?? BUSY_MS_MAX) ? "The carrier is too busy." : null;
}
