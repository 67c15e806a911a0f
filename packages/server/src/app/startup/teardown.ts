/**
 * Opened resources, closed in reverse order. A failed start and a stop after hours of service use the same
 * list, so neither leaves anything behind.
 */
export interface Teardown {
  add(close: () => Promise<void>, options?: { outlivesProcess: boolean }): void;
  /** Closes everything, even if some closings fail; then throws the first failure. */
  run(): Promise<void>;
  /** Closes only resources that would outlive the process, for an immediate end. */
  abandon(): Promise<void>;
}

interface Opened {
  readonly close: () => Promise<void>;
  readonly outlivesProcess: boolean;
}

export function createTeardown(): Teardown {
  const opened: Opened[] = [];
  return {
    add(close, options = { outlivesProcess: false }) {
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
      const outliving = opened.filter((one) => one.outlivesProcess);
      await Promise.allSettled(outliving.map((one) => one.close()));
    },
  };
}
