import type { BatchResults } from "@longwave/contract";

const CACHED_RESULTS_MAX = 1_000;

interface Entry {
  readonly version: string;
  readonly readAtMs: number;
  readonly results: Promise<BatchResults>;
}

/** Results by batch. An entry is stale once its account has a newer event or consent change. */
export type ResultsCache = Map<string, Entry>;

export function createResultsCache(): ResultsCache {
  return new Map();
}

/** Stores results that may still be loading; a failed load is dropped. */
export function keep(cache: ResultsCache, id: string, entry: Entry): void {
  cache.delete(id);
  cache.set(id, entry);
  // A Map iterates in insertion order: the oldest entry goes first.
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_RESULTS_MAX) break;
    cache.delete(oldest);
  }
  entry.results.catch(() => {
    if (cache.get(id) === entry) cache.delete(id);
  });
}
