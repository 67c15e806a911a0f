import type { QueueDeps } from "../queue/deps.ts";
import { LANES } from "../queue/lane-names.ts";
import { hasActiveEndpoint } from "./endpoint-sql.ts";

const ACCOUNTS_MAX = 10_000;

/**
 * Wakes the lane when an account with endpoints has events. Most accounts have none, and their
 * events cost the lane nothing: whether one has is remembered until its account changes.
 */
export function wakeOnEvents(deps: QueueDeps): () => void {
  const known = new Map<string, { hasEndpoint: boolean }>();
  const forget = (accountId: string | null) => {
    if (accountId === null) known.clear();
    else known.delete(accountId);
  };
  const learn = async (accountId: string) => {
    // Taken for one with endpoints until we know: a wake too many does no harm.
    if (known.size >= ACCOUNTS_MAX) known.clear();
    const entry = { hasEndpoint: true };
    known.set(accountId, entry);
    deps.wakes.wake(LANES.webhooks);
    const values = [accountId];
    const [row] = await deps.db.query<{ has_endpoint: boolean }>(hasActiveEndpoint, values);
    // What is read may be older than a change told meanwhile, which has taken this entry away.
    entry.hasEndpoint = row?.has_endpoint ?? true;
  };
  const hear = (accountId: string | null) => {
    if (accountId === null) return;
    const entry = known.get(accountId);
    if (entry?.hasEndpoint) deps.wakes.wake(LANES.webhooks);
    if (!entry) {
      learn(accountId).catch((error: unknown) => {
        deps.log.warn({ err: error }, "an account's endpoints were not read");
      });
    }
  };
  const unsubscribes = [
    deps.notifications.subscribe("longwave_cache", forget),
    deps.notifications.subscribe("longwave_events", hear),
  ];
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
  };
}
