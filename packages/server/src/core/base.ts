import type { PhoneOptions } from "@longwave/contract";
import type { Config } from "./config/config.ts";
import type { Database } from "./db/driver/database.ts";
import type { Notifications } from "./db/driver/notifications.ts";
import type { Clock } from "./platform/clock.ts";
import type { Ids } from "./platform/ids.ts";
import type { KeyedLimiter } from "./platform/keyed-limiter.ts";
import type { Log } from "./platform/log.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { Outgoing } from "./platform/outgoing/index.ts";
import type { Random } from "./platform/random.ts";
import type { Secrets } from "./platform/secrets.ts";
import type { PriceBook } from "./prices.ts";
import type { QuietLaws } from "./quiet-law.ts";

/** Account (a UUID) and shard of a row. */
export interface Owner {
  readonly shard: number;
  readonly accountId: string;
}

/**
 * Dependencies of every domain. A domain that needs more declares them in its own `deps.ts`, which extends this with
 * its own services and those of the domains below it.
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
  /** Limits concurrent transactions per account; excess calls queue here without holding a connection. */
  readonly transactionSlots: KeyedLimiter;
  /**
   * Runs work as the owner of the tables, which may create and drop partitions; the application role may not.
   */
  readonly asOwner: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  readonly notifications: Notifications;
  /**
   * All outgoing connections: SafeHttpClient for customer URLs, and clients for the operator's services.
   */
  readonly outgoing: Outgoing;
  /** US territories accepted as recipients. */
  readonly extraRegions: ReadonlySet<string>;
  /** Numbers accepted as recipients: US territories, and other countries. */
  readonly destinations: PhoneOptions;
  readonly shards: number;
  readonly prices: PriceBook;
  readonly quietLaws: QuietLaws;
}
