/** Rows rendered together ask together. */
const BATCH_MS = 10;
const BATCH_KEYS_MAX = 100;

type Waiting<T> = Map<string, ((value: T | null) => void)[]>;

/**
 * Collects the keys that rows ask for within 10 ms and reads them with one call per `place`, an account or an account's
 * mode. A failed call answers null, as an unknown key does.
 */
export function readTogether<T>(
  read: (place: string, keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (place: string, key: string) => Promise<T | null> {
  const waitingAt = new Map<string, Waiting<T>>();

  async function flush(place: string, waiting: Waiting<T>): Promise<void> {
    if (waitingAt.get(place) !== waiting) return;
    waitingAt.delete(place);
    const values = await read(place, [...waiting.keys()]).catch(() => null);
    for (const [key, resolves] of waiting) {
      for (const resolve of resolves) resolve(values?.get(key) ?? null);
    }
  }

  function waitingFor(place: string): Waiting<T> {
    const before = waitingAt.get(place);
    if (before) return before;
    const waiting: Waiting<T> = new Map();
    waitingAt.set(place, waiting);
    setTimeout(() => void flush(place, waiting), BATCH_MS);
    return waiting;
  }

  return (place, key) =>
    new Promise((resolve) => {
      const waiting = waitingFor(place);
      waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
      if (waiting.size >= BATCH_KEYS_MAX) void flush(place, waiting);
    });
}
