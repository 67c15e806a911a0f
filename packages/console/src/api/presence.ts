import { nowMs } from "../clock.ts";

/** Calls within this time after a key or a click count as made by a person. */
const PRESENT_MS = 60_000;
const SIGNS = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

interface Presence {
  notice(nowMs: number): void;
  isHere(nowMs: number): boolean;
}

/** Tracks whether a person uses the page. Opening the page counts as use. */
export function createPresence(startedAtMs: number): Presence {
  let lastInputAtMs = startedAtMs;
  return {
    notice: (at) => {
      lastInputAtMs = at;
    },
    isHere: (at) => at - lastInputAtMs < PRESENT_MS,
  };
}

const presence = createPresence(nowMs());
for (const sign of SIGNS) {
  globalThis.addEventListener?.(sign, () => presence.notice(nowMs()), {
    capture: true,
    passive: true,
  });
}

/** Lists that refetch by themselves must not keep an unused session alive. */
export function isPersonPresent(): boolean {
  return presence.isHere(nowMs());
}
