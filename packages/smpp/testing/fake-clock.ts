import type { Clock } from "../src/index.ts";

interface Due {
  readonly atMs: number;
  readonly call: () => void;
}

/** Clock that moves only when a test advances it. */
export class FakeClock implements Clock {
  #now = 0;
  #due: Due[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void) {
    const due: Due = { atMs: this.#now + ms, call };
    this.#due.push(due);
    return {
      cancel: () => {
        this.#due = this.#due.filter((one) => one !== due);
      },
    };
  }

  /** Scheduled timers. */
  get pending(): number {
    return this.#due.length;
  }

  /** Advances the clock: runs due timers in order, with event loop ticks between. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#due.filter((one) => one.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.atMs);
      next.call();
      await settle();
    }
    this.#now = endMs;
    await settle();
  }
}

/** Runs pending promises and scheduled writes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
