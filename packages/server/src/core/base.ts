import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Notifications } from "./db/notifications.ts";
import type { Clock } from "./platform/clock.ts";
import type { Ids } from "./platform/ids.ts";
import type { Log } from "./platform/log.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { Outgoing } from "./platform/outgoing/index.ts";
import type { Random } from "./platform/random.ts";
import type { Secrets } from "./platform/secrets.ts";
import type { Turns } from "./platform/turns.ts";

/** Whose rows they are: an account (as a UUID) and the shard it lives in. */
export interface Owner {
  readonly shard: number;
  readonly accountId: string;
}

/**
 * What every domain may use and none of them builds. A domain that needs more says so in its own
 * `deps.ts`, which extends this by what it makes itself and by the services of the domains below it.
 */
export interface Base {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly db: Database;
  /** In which the transactions of an account's calls wait, before they take a connection. */
  readonly transactionTurns: Turns;
  /** Works as the owner of the tables, which the application is not: it makes and drops partitions. */
  readonly asOwner: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  readonly notifications: Notifications;
  /** The one door out. */
  readonly outgoing: Outgoing;
  /** US territories that may be texted. */
  readonly extraRegions: ReadonlySet<string>;
  readonly shards: number;
}
