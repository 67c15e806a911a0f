import type { Clock } from "../../../core/platform/clock.ts";

/** Longest wait for a window slot; afterwards the outbound lane submits the message later. */
const SLOT_WAIT_MS_MAX = 500;
const WAITING_MAX = 1_000;

/** FIFO queue of callers that wait for a window slot of a busy link. */
export class SlotQueue {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<(isServed: boolean) => void>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves with whether the caller got a slot in time. */
  join(): Promise<boolean> {
    if (this.#waiting.size >= WAITING_MAX) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = (isServed: boolean) => {
        cancelTimeout();
        this.#waiting.delete(leave);
        resolve(isServed);
      };
      const cancelTimeout = this.#clock.after(SLOT_WAIT_MS_MAX, () => leave(false));
      this.#waiting.add(leave);
    });
  }

  /** Gives a slot to each waiting caller in order, until `take` finds none. */
  serve(take: () => boolean): void {
    for (const leave of this.#waiting) {
      if (!take()) return;
      leave(true);
    }
  }

  /** Resolves all waiting callers with false. */
  close(): void {
    for (const leave of this.#waiting) leave(false);
  }
}
