import type { Standing } from "./accounts/standing.ts";
import type { VerifiedNumbers } from "./accounts/verified-numbers.ts";
import type { ResultsCache } from "./batches/results-cache.ts";
import type { TurnOrder } from "./batches/turn-order.ts";
import type { Carriers } from "./carriers/routing.ts";
import type { Config } from "./config.ts";
import type { CustomerDirectory } from "./customers/find.ts";
import type { Database } from "./db/database.ts";
import type { Group } from "./db/group.ts";
import type { Notifications } from "./db/notifications.ts";
import type { EventWaits } from "./events/waits.ts";
import type { MessageWriter } from "./handover/accept.ts";
import type { MessageFollower } from "./handover/follower.ts";
import type { SettlementWriter } from "./handover/settle.ts";
import type { KeyDirectory } from "./keys/directory.ts";
import type { NumberDirectory } from "./numbers/directory.ts";
import type { Clock } from "./platform/clock.ts";
import type { Ids } from "./platform/ids.ts";
import type { Log } from "./platform/log.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { Outgoing } from "./platform/outgoing/index.ts";
import type { Random } from "./platform/random.ts";
import type { Secrets } from "./platform/secrets.ts";
import type { Lane } from "./queue/lane.ts";
import type { Wakes } from "./queue/wakes.ts";
import type { VerificationWriters } from "./verify/writers.ts";
import type { WebhookSender } from "./webhooks/sender.ts";

/** What every use case is given first. Plain values, built once in assemble.ts. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly db: Database;
  readonly notifications: Notifications;
  readonly keys: KeyDirectory;
  readonly numbers: NumberDirectory;
  readonly customers: CustomerDirectory;
  readonly standings: Group<{ readonly shard: number; readonly id: string }, Standing>;
  readonly verifiedNumbers: VerifiedNumbers;
  readonly carriers: Carriers;
  /** Accepts messages by groups, and writes down by groups what carriers made of them. */
  readonly messageWriter: MessageWriter;
  readonly settlements: SettlementWriter;
  /** The one door out. */
  readonly outgoing: Outgoing;
  readonly webhookSender: WebhookSender;
  /** The calls of this process that wait for events. */
  readonly eventWaits: EventWaits;
  /** Whose rows move with those of messages. */
  readonly follower: MessageFollower;
  readonly batchResults: ResultsCache;
  readonly batchTurns: TurnOrder;
  /** Starts and checks verifications by groups. */
  readonly verifications: VerificationWriters;
  /** US territories that may be texted. */
  readonly extraRegions: ReadonlySet<string>;
  readonly shards: number;
  /** Every source of due work. */
  readonly lanes: readonly Lane[];
  /** Tells this process's worker, if it has one, that a lane has work. */
  readonly wakes: Wakes;
}
