import type { BatchResults } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { BatchRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { readResults } from "./results.ts";
import { readResultsVersion } from "./sql.ts";

const CACHED_RESULTS_MAX = 1_000;
/** What only time moves, such as texts without a receipt, may be this old. */
const CACHE_AGE_MS_MAX = 60_000;

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

/** GET /batches/{id}/results. Many who ask at once share one reading. */
export async function resultsOf(
  deps: Deps,
  account: AccountRow,
  batch: BatchRow,
): Promise<BatchResults> {
  const [row] = await deps.db.query<{ event_seq: number; consent_seq: number }>(
    readResultsVersion,
    [batch.shard, batch.account_id],
  );
  const version = [row?.event_seq, row?.consent_seq, batch.status].join(" ");
  const now = deps.clock.now();
  const cached = deps.batchResults.get(batch.id);
  if (cached?.version === version && now - cached.readAtMs < CACHE_AGE_MS_MAX) {
    return cached.results;
  }
  const results = readResults(deps, account, batch);
  keep(deps.batchResults, batch.id, { version, readAtMs: now, results });
  return results;
}

function keep(cache: ResultsCache, id: string, entry: Entry): void {
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
