import type { LeasedBinds, OwnedBind } from "./leased-binds.ts";

/** A text that the carrier is too busy for is offered again for this long, as the same attempt. */
const BUSY_MS_MAX = 120_000;
/** A text waits this long for a link that went down after its place was taken; then it looks for another. */
const LINK_WAIT_MS_MAX = 2_000;
export const WAIT_STEP_MS = 250;

/**
 * Why what has a place cannot be written now, nor soon; null while it is worth waiting. `isLater`: a
 * part of the same text has left already, so that the rest is still let out at a stop.
 */
export function whyNot<B extends OwnedBind>(
  binds: LeasedBinds<B>,
  bind: B,
  waitedMs: number,
  isLater: boolean,
): string | null {
  if (binds.stopping.aborted && !isLater) return "The link is being stopped.";
  if (!binds.own.includes(bind)) return "Another process has the bind.";
  // The rest of a text can only follow where its beginning went.
  if (!bind.isUp && !isLater && waitedMs > LINK_WAIT_MS_MAX) return "The link is down.";
  return waitedMs > BUSY_MS_MAX ? "The carrier is too busy." : null;
}
