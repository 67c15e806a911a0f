import { nowMs } from "../clock.ts";

/** So long after a key or a click, what the page asks for is asked for by a person. */
const PRESENT_MS = 60_000;
const SIGNS = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

interface Presence {
  notice(nowMs: number): void;
  isHere(nowMs: number): boolean;
}

/** Whether somebody is at the page. Opening it is a sign of it. */
export function createPresence(startedAtMs: number): Presence {
  let seenAtMs = startedAtMs;
  return {
    notice: (at) => {
      seenAtMs = at;
    },
    isHere: (at) => at - seenAtMs < PRESENT_MS,
  };
}

const presence = createPresence(nowMs());
for (const sign of SIGNS) {
  globalThis.addEventListener?.(sign, () => presence.notice(nowMs()), {
    capture: true,
    passive: true,
  });
}

/** Lists that read themselves again must not keep a session awake that nobody uses. */
export function isSomebodyHere(): boolean {
  return presence.isHere(nowMs());
}
