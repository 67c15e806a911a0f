import {
  hearEvents,
  type NewRun,
  type Properties,
  runEvent,
  startRuns,
} from "../automations/index.ts";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import { appendGroup } from "../events/index.ts";
import { lockAccounts } from "../handover/index.ts";
import { claimAnswerStep, type IdempotencyClaim, takeClaims } from "../idempotency/index.ts";

/** An event of somebody that runs may wait for. */
export interface Heard {
  readonly account_id: string;
  readonly contact_id: string;
  readonly mode: string;
  readonly event: string;
  readonly properties: Properties;
}

/** What one request tracks. */
export interface Tracked {
  readonly shard: number;
  readonly heard: readonly Heard[];
  readonly runs: readonly NewRun[];
  readonly claim: IdempotencyClaim | null;
  /** The answer as it is sent, for a replay. */
  textOf(matched: number): string;
}

/** How many runs were started; `duplicate` when its key has been used already. */
export type TrackResult = number | "duplicate";

export type TrackWriter = Group<Tracked, TrackResult>;

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 5_000;
const STATUS = 202;

/**
 * Writes what is tracked by groups, each run as a row of its own: a thousand a second for one
 * automation change no row that they share but the counter of the account's events, once a group.
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
  const isKeyed = items.some((item) => item.claim !== null);
  const free = isKeyed
    ? await takeClaims(
        deps,
        tx,
        items.map((item) => item.claim),
      )
    : items.map(() => true);
  const taken = items.filter((_, index) => free[index]);
  const started = await writeRuns(deps, tx, shard, taken);
  return items.map((item, index) => {
    if (!free[index]) return "duplicate";
    const matched = item.runs.filter((run) => started.has(run.id)).length;
    if (item.claim) {
      const step = claimAnswerStep(deps, item.claim, STATUS, item.textOf(matched));
      tx.send(step.statement, step.values);
    }
    return matched;
  });
}

/** Answers the ids of the runs that were started. */
async function writeRuns(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  shard: number,
  items: readonly Tracked[],
): Promise<ReadonlySet<string>> {
  const now = new Date(deps.clock.now());
  const heard = items.flatMap((item) => item.heard);
  const runs = items.flatMap((item) => item.runs);
  // Who is heard first: a run does not wait for the very event that started it.
  if (heard.length > 0) tx.send(hearEvents, [shard, JSON.stringify(heard), now]);
  if (runs.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(startRuns, [shard, JSON.stringify(runs), now]);
  const started = new Set(rows.map((row) => row.id));
  const told = runs.filter((run) => started.has(run.id));
  const accounts = [...new Set(told.map((run) => run.account_id))];
  tx.send(lockAccounts, [shard, accounts]);
  const events = told.map((run) => runEvent("automation.run.started", run, null));
  appendGroup(deps, tx, shard, events);
  return started;
}
