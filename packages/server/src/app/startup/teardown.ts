/**
 * What has been opened, to be closed in reverse order. A start that fails half-way and a stop
 * after hours of service go through the same list, so neither leaves anything behind.
 */
export interface Teardown {
  add(close: () => Promise<void>, options?: { outlivesUs: boolean }): void;
  /** Closes everything that is open, even when one of the closings fails; then throws that failure. */
  run(): Promise<void>;
  /** Closes only what would outlive this process: for an end that cannot wait for the rest. */
  abandon(): Promise<void>;
}

interface Opened {
  readonly close: () => Promise<void>;
  readonly outlivesUs: boolean;
}

export function createTeardown(): Teardown {
  const opened: Opened[] = [];
  return {
    add(close, options = { outlivesUs: false }) {
      opened.push({ close, ...options });
    },
    async run() {
      const failures: unknown[] = [];
      for (let last = opened.at(-1); last; last = opened.at(-1)) {
        await last.close().catch((error: unknown) => failures.push(error));
        opened.pop();
      }
      if (failures.length > 0) throw failures[0];
    },
    async abandon() {
      const outliving = opened.filter((one) => one.outlivesUs);
      await Promise.allSettled(outliving.map((one) => one.close()));
    },
  };
}
