import type { BatchResults } from "@longwave/contract";

const CACHED_RESULTS_MAX = 1_000;

interface Entry {
  readonly version: string;
  readonly readAtMs: number;
  readonly results: Promise<BatchResults>;
}

/** Results by batch; they are read again when anything has happened in the account since. */
export type ResultsCache = Map<string, Entry>;

export function createResultsCache(): ResultsCache {
  return new Map();
}

/** Keeps a reading that may still be under way; one that fails is dropped. */
export function keep(cache: ResultsCache, id: string, entry: Entry): void {
  cache.delete(id);
  cache.set(id, entry);
  // The oldest goes first: a Map keeps the order of insertion.
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_RESULTS_MAX) break;
    cache.delete(oldest);
  }
  entry.results.catch(() => {
    if (cache.get(id) === entry) cache.delete(id);
  });
}
