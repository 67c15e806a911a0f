import type { Clock } from "../../platform/clock.ts";

/** Whoever waits longer for a place answers without one: the text goes later. */
const PLACE_WAIT_MS_MAX = 500;
const WAITING_MAX = 1_000;

/** Those who wait for a place of a busy link, first come, first served. */
export class WaitingLine {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<(isServed: boolean) => void>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves with whether a place was found in time. */
  join(): Promise<boolean> {
    if (this.#waiting.size >= WAITING_MAX) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = (isServed: boolean) => {
        forgo();
        this.#waiting.delete(leave);
        resolve(isServed);
      };
      const forgo = this.#clock.after(PLACE_WAIT_MS_MAX, () => leave(false));
      this.#waiting.add(leave);
    });
  }

  /** Gives a place to each of those who wait, for as long as `take` finds one. */
  serve(take: () => boolean): void {
    for (const leave of this.#waiting) {
      if (!take()) return;
      leave(true);
    }
  }

  /** Nobody will be served any more. */
  close(): void {
    for (const leave of this.#waiting) leave(false);
  }
}
