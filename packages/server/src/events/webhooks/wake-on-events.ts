import type { QueueDeps } from "../../core/queue/deps.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { hasActiveEndpoint } from "./endpoint-sql.ts";

const ACCOUNTS_MAX = 10_000;

/**
 * Wakes the lane when an account with endpoints has events. Most accounts have no endpoint; a cache of accounts with
 * endpoints spares the lane their events. A change of the account clears its entry.
 */
export function wakeOnEvents(deps: QueueDeps): () => void {
  const known = new Map<string, { hasEndpoint: boolean }>();
  const forget = (accountId: string | null) => {
    if (accountId === null) known.clear();
    else known.delete(accountId);
  };
  const learn = async (accountId: string) => {
    // Assume endpoints until the query returns: a needless wake does no harm.
    if (known.size >= ACCOUNTS_MAX) known.clear();
    const entry = { hasEndpoint: true };
    known.set(accountId, entry);
    deps.wakes.wake(LANES.webhooks);
    const values = [accountId];
    const [row] = await deps.db.query<{ has_endpoint: boolean }>(hasActiveEndpoint, values);
    // A change in the meantime has removed this entry from the cache.
    entry.hasEndpoint = row?.has_endpoint ?? true;
  };
  const onEvents = (accountId: string | null) => {
    if (accountId === null) return;
    const entry = known.get(accountId);
    if (entry?.hasEndpoint) deps.wakes.wake(LANES.webhooks);
    if (!entry) {
      learn(accountId).catch((error: unknown) => {
        deps.log.warn({ err: error }, "webhooks: endpoints not read");
      });
    }
  };
  const unsubscribes = [
    deps.notifications.subscribe("longwave_cache", forget),
    deps.notifications.subscribe("longwave_events", onEvents),
  ];
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
  };
}
