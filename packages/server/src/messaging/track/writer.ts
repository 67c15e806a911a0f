import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import { appendGroup } from "../../events/log/index.ts";
import { endClaim, type IdempotencyClaim, takeClaims } from "../../http/idempotency/index.ts";
import {
  type NewRun,
  type Properties,
  recordTrackedEvents,
  runEvent,
  startRuns,
} from "../automations/index.ts";
import { lockAccounts } from "../messages/index.ts";

/** An event of a contact that runs may wait for. */
export interface TrackedEvent {
  readonly account_id: string;
  readonly contact_id: string;
  readonly mode: string;
  readonly event: string;
  readonly properties: Properties;
}

/** Events and runs of one request. */
export interface Tracked {
  readonly shard: number;
  readonly events: readonly TrackedEvent[];
  readonly runs: readonly NewRun[];
  readonly claim: IdempotencyClaim | null;
  /** The answer as JSON, stored for a replay. */
  jsonOf(matched: number): string;
}

/** Number of started runs; `duplicate` if the Idempotency-Key was used already. */
export type TrackResult = number | "duplicate";

export type TrackWriter = Group<Tracked, TrackResult>;

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 5_000;
const STATUS = 202;

/**
 * Group commit of tracked events. Each run is a row of its own, so a thousand runs a second of one automation
 * contend only for the counter of the account's events, once a group.
 */
export function createTrackWriter(
  deps: Pick<Base, "db" | "clock" | "ids" | "metrics" | "secrets">,
): TrackWriter {
  return createGroup<Tracked, TrackResult>({
    meter: deps.metrics.group("tracked"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results: TrackResult[] = new Array(items.length).fill(0);
      for (const shard of new Set(items.map((item) => item.shard))) {
        const indexes = [...items.keys()].filter((index) => items[index]?.shard === shard);
        const group = indexes.map((index) => items[index] as Tracked);
        const written = await deps.db.tx((tx) => writeGroup(deps, tx, shard, group), "groups");
        indexes.forEach((index, position) => {
          results[index] = written[position] as TrackResult;
        });
      }
      return results;
    },
  });
}

async function writeGroup(
  deps: Pick<Base, "db" | "clock" | "ids" | "secrets">,
  tx: Tx,
  shard: number,
  items: readonly Tracked[],
): Promise<TrackResult[]> {
  const free = await takeClaims(deps, tx, items);
  const taken = items.filter((_, index) => free[index]);
  const started = await writeRuns(deps, tx, shard, taken);
  return items.map((item, index) => {
    if (!free[index]) return "duplicate";
    const matched = item.runs.filter((run) => started.has(run.id)).length;
    if (item.claim) {
      tx.send(endClaim(deps, item.claim, { status: STATUS, text: item.jsonOf(matched) }));
    }
    return matched;
  });
}

/** Returns the ids of the started runs. */
async function writeRuns(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  shard: number,
  items: readonly Tracked[],
): Promise<ReadonlySet<string>> {
  const now = new Date(deps.clock.now());
  const tracked = items.flatMap((item) => item.events);
  const runs = items.flatMap((item) => item.runs);
  // Runs before `startRuns`: an event must not end a wait of the run that it starts.
  if (tracked.length > 0) tx.send(recordTrackedEvents, [shard, JSON.stringify(tracked), now]);
  if (runs.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(startRuns, [shard, JSON.stringify(runs), now]);
  const started = new Set(rows.map((row) => row.id));
  const startedRuns = runs.filter((run) => started.has(run.id));
  const accounts = [...new Set(startedRuns.map((run) => run.account_id))];
  tx.send(lockAccounts, [shard, accounts]);
  const events = startedRuns.map((run) => runEvent("automation.run.started", run, null));
  appendGroup(deps, tx, shard, events);
  return started;
}
