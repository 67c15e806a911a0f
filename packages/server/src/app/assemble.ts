import { createBalanceReader } from "../account/billing/index.ts";
import { createCustomerDirectory } from "../account/customers/index.ts";
import { createKeyDirectory, createOperatorTokens } from "../account/keys/index.ts";
import type { Base } from "../core/base.ts";
import { type Config, environment } from "../core/config/config.ts";
import { readDistribution } from "../core/db/citus/distribute.ts";
import type { ConnectTarget } from "../core/db/driver/client.ts";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  plainClient,
} from "../core/db/driver/database.ts";
import {
  createIdentityGuard,
  type IdentityGuard,
  type LastSeen,
} from "../core/db/driver/database-identity.ts";
import { followDatabaseTime } from "../core/db/driver/database-time.ts";
import { type Connection, createHosts } from "../core/db/driver/hosts.ts";
import { openNotifications } from "../core/db/driver/notifications.ts";
import { requestTransactionsOf } from "../core/db/driver/profiles.ts";
import type { Statement } from "../core/db/driver/statement.ts";
import { openInstallation } from "../core/installation.ts";
import {
  type Clock,
  isShifted,
  shiftedClock,
  systemClock,
  yieldToEventLoop,
} from "../core/platform/clock.ts";
import { createForeignPhones } from "../core/platform/foreign-phones.ts";
import { createIds } from "../core/platform/ids.ts";
import { KeyedLimiter } from "../core/platform/keyed-limiter.ts";
import type { Log } from "../core/platform/log.ts";
import { createMetrics } from "../core/platform/metrics.ts";
import {
  type AllowTarget,
  createOutgoing,
  type Outgoing,
  parseAllowTargets,
  parseBlockTargets,
  parsePrivateTargets,
} from "../core/platform/outgoing/index.ts";
import { type Random, systemRandom } from "../core/platform/random.ts";
import { createSecrets } from "../core/platform/secrets.ts";
import { openPrices } from "../core/prices.ts";
import type { QueueDeps } from "../core/queue/deps.ts";
import { queueHealth } from "../core/queue/health.ts";
import { bindLane, createWakes, type Lane } from "../core/queue/lane.ts";
import { followTestClock } from "../core/queue/test-clock.ts";
import { openQuietLaws } from "../core/quiet-law.ts";
import { createEventWaits } from "../events/log/index.ts";
import { createWebhookSender, wakeOnEvents } from "../events/webhooks/index.ts";
import { createRateLimiter } from "../http/limits/rate-limit.ts";
import {
  createAutomationDirectory,
  resumeRunsOfPhones,
  runFollower,
} from "../messaging/automations/index.ts";
import {
  batchFollower,
  createAccountRotation,
  createResultsCache,
  requireBatch,
} from "../messaging/batches/index.ts";
import { simulateReply } from "../messaging/inbound/index.ts";
import {
  createCarrierSink,
  createOutboundWriters,
  createRemoteSubmits,
  followAll,
  type OutboundDeps,
} from "../messaging/outbound/index.ts";
import { scheduleFollower } from "../messaging/recurring-schedules/index.ts";
import { createTrackWriter } from "../messaging/track/index.ts";
import {
  createVerificationFollower,
  createVerificationWriters,
  onServiceOptOut,
  stoppedService,
} from "../messaging/verify/index.ts";
import {
  type Carriers,
  createCarriers,
  createReload,
  loadCarriers,
} from "../network/carriers/index.ts";
import { createLookup } from "../network/lookup/index.ts";
import {
  countAssigned,
  createNumberDirectory,
  followRegistrations,
  lockSenderStates,
} from "../network/numbers/index.ts";
import {
  createRegistrationPace,
  createRegistryLinks,
  createWebsiteChecker,
  type Registry,
  registeredReplies,
  registrationStates,
  registryOf,
} from "../network/registrations/index.ts";
import { createErasedPhones } from "../people/consent/index.ts";
import { segmentFilter } from "../people/segments/index.ts";
import { createMailer, memberNames } from "../surfaces/console/index.ts";
import { createImportRuns } from "../surfaces/importer/index.ts";
import { sendCallback } from "../surfaces/twilio-api/index.ts";
import { createIsVerified, pendingCodes } from "../surfaces/verified-numbers/index.ts";
import type { Deps } from "./deps.ts";
import { lanes } from "./lanes.ts";

/**
 * Concurrent transactions per account. Nearly all of them lock the account's row, so more would wait for that
 * lock while holding connections that all accounts share. The second one begins while the first commits.
 */
const TRANSACTIONS_IN_HAND_MAX = 2;
const TRANSACTIONS_WAITING_MAX = 5_000;

/** Below the five seconds after which a hanging database is answered with 503. */
const STATEMENT_TIMEOUT_MS = 4_000;
const LOCK_TIMEOUT_MS = 2_000;
const USER_AGENT = "Longwave/1.0";
/** Concurrent track calls per account and process; each may start many runs. */
const TRACK_CALLS_IN_HAND_MAX = 2;

/** Options, most of them for tests. */
export interface AssembleOptions {
  readonly config: Config;
  readonly connection: Connection;
  /** Role that creates and drops partitions; the application's role by default. */
  readonly owner?: Connection;
  /** Last known state of the database; connections to an older or another database are refused. */
  readonly seen?: LastSeen;
  readonly rootKey: Buffer;
  readonly log: Log;
  /** Identifies the program's file; only processes of one build exchange items. */
  readonly build?: string;
  readonly random?: Random;
  readonly inspect?: (statement: Statement) => void;
  /** Lanes instead of the real ones, for tests of the queue. */
  readonly lanes?: readonly Lane<Deps>[];
  /**
   * Whether this process submits messages that other processes accepted; by default the configured roles
   * decide.
   */
  readonly doesDueWork?: boolean;
  /** Opens no carrier links, for an installation behind the restore guard. */
  readonly withoutCarriers?: boolean;
  /** Carriers instead of those in the carriers file, for tests. */
  readonly carriers?: Carriers;
  /** Registry instead of the configured one. */
  readonly registry?: Registry;
  /** Outgoing client, for tests with DNS and certificates of their own. */
  readonly outgoing?: Outgoing;
}

async function openCarriers(
  options: AssembleOptions,
  queue: QueueDeps & Pick<OutboundDeps, "erasedPhones">,
): Promise<Carriers> {
  if (options.carriers) return options.carriers;
  const configs = options.withoutCarriers ? [] : await loadCarriers(queue.config, environment);
  return createCarriers(configs, queue, {
    mayOwn: options.doesDueWork ?? queue.config.roles.includes("worker"),
  });
}

/** Builds all dependencies, bottom up. Requires a migrated database. */
export async function assemble(
  options: AssembleOptions,
): Promise<{ deps: Deps; guard: IdentityGuard; close(): Promise<void> }> {
  const { base, following, guard } = await assembleBase(options);
  const { db, clock, notifications, metrics } = base;
  const queue: QueueDeps = { ...base, wakes: createWakes(base) };
  const erasedPhones = createErasedPhones(base);
  const carriers = await openCarriers(options, { ...queue, erasedPhones });
  const follower = followAll([
    batchFollower,
    scheduleFollower,
    runFollower,
    createVerificationFollower(base, pendingCodes),
  ]);
  await carriers.start(createCarrierSink({ ...queue, follower }));
  const reloadCarriers = createReload(base, carriers, environment);
  const webhookSender = createWebhookSender(queue, (...call) => sendCallback(deps, ...call));
  wakeOnEvents(queue);
  const lookup = createLookup(base);
  const outbound: OutboundDeps = {
    ...queue,
    balances: createBalanceReader(db, clock, metrics.group("balances")),
    erasedPhones,
    isVerified: createIsVerified(db, clock, notifications),
    customers: createCustomerDirectory(db, clock, notifications),
    numbers: createNumberDirectory(db, clock, notifications, metrics.group("pool_choices")),
    registrationPace: createRegistrationPace(base),
    carriers,
    reloadCarriers,
    ...createOutboundWriters({ ...queue, follower }, options.build ?? ""),
    remoteSubmits: createRemoteSubmits(base),
    follower,
    onOptOut: (tx, owner, phones) => resumeRunsOfPhones(base, tx, owner, phones),
    stoppedService,
    simulateReply: (tx, delivered) => simulateReply(deps, tx, delivered),
  };
  const registry = options.registry ?? registryOf(base);
  const keys = createKeyDirectory(db, clock, notifications, base.log);
  const links = createRegistryLinks(base, registry);
  const deps: Deps = {
    ...outbound,
    rates: createRateLimiter(db, clock, base.config.rateLimitPerSecond),
    keys,
    operatorTokens: createOperatorTokens(db, clock, notifications),
    ...{ countAssigned, memberNames, segmentFilter },
    requireBatch: (caller, id, param) => requireBatch(db, caller, id, param),
    websites: websitesOf(options, base),
    registry,
    registrationStates,
    linksAtOnce: links.atOnce,
    linkSender: links.link,
    unlinkSender: links.unlink,
    followSenders: async (tx, account) => {
      await lockSenderStates(tx, account);
      await followRegistrations(base, tx, account, await registrationStates(tx, account));
    },
    eventWaits: createEventWaits({ ...base, refusedKeys: keys.refusedAmong }),
    webhookSender,
    registeredReplies,
    onServiceMessage: (tx, message) => onServiceOptOut(base, tx, message),
    batchResults: createResultsCache(),
    batchRotation: createAccountRotation(),
    automations: createAutomationDirectory(db, clock, notifications),
    tracked: createTrackWriter(base),
    trackLimiter: new KeyedLimiter({ concurrency: TRACK_CALLS_IN_HAND_MAX }),
    lookup,
    rangeRateCentres: lookup.numbering.rangesOf,
    ...{ imports: createImportRuns(base), mailer: createMailer(base) },
    verifications: createVerificationWriters(outbound),
    lanes: (options.lanes ?? lanes).map((lane) => bindLane(lane, () => deps)),
  };
  metrics.watchQueue(() => queueHealth(deps));
  return { deps, guard, close: () => closeAll(deps, following) };
}

/** Builds the layer below all domains, with its clock. */
async function assembleBase(
  options: AssembleOptions,
): Promise<{ base: Base; following: { stop(): Promise<void> }; guard: IdentityGuard }> {
  const { config, log } = options;
  const clock = config.testClock ? shiftedClock() : systemClock();
  const random = options.random ?? systemRandom();
  const guard = createIdentityGuard(options.seen ?? null);
  const target = { hosts: createHosts(options.connection), guard };
  const asked = databaseOptionsOf(options);
  const databaseOptions = { ...asked, isDistributed: await isDistributedAt(asked, target) };
  const db = openDatabase({ ...databaseOptions, target });
  const makeClient = plainClient(databaseOptions, target);
  const notifications = await openNotifications({ makeClient, db, clock, log });
  const ids = createIds(clock, random);
  const metrics = createMetrics(clock);
  metrics.watchPool(() => db.poolState());
  const secrets = createSecrets(options.rootKey, random);
  const { shards } = await openInstallation(db, clock, secrets, config.shards);
  const following = isShifted(clock)
    ? await followTestClock({ clock, db, notifications, log }, ids.make())
    : await followDatabaseTime({ clock, db, log });
  const privateTargets = parsePrivateTargets(config.webhookPrivateTargets);
  if (privateTargets.length > 0) {
    log.warn({ targets: config.webhookPrivateTargets }, "webhooks: private targets are allowed");
  }
  const outgoing = options.outgoing ?? outgoingOf(config, clock, privateTargets);
  const extraRegions = new Set(config.extraRegions);
  const foreign = await createForeignPhones(config.countries);
  const base = {
    ...{ config, clock, random, ids, log, metrics, secrets },
    ...{ db, notifications, outgoing, extraRegions, shards },
    destinations: { extraRegions, foreign },
    quietLaws: await openQuietLaws({ db, notifications, log }),
    prices: await openPrices({ config, db, clock, notifications, log }),
    transactionSlots: new KeyedLimiter({
      concurrency: TRANSACTIONS_IN_HAND_MAX,
      waitingMax: TRANSACTIONS_WAITING_MAX,
    }),
    asOwner: ownerAccess(options, databaseOptions, db, guard),
  };
  return { base, following, guard };
}

/** Tables are distributed only while no process runs, so one read at the start suffices. */
async function isDistributedAt(options: DatabaseOptions, target: ConnectTarget): Promise<boolean> {
  const client = plainClient(options, target)();
  await client.connect();
  try {
    return (await readDistribution(client)).isDistributed;
  } finally {
    await client.end();
  }
}

/** Opens a connection per use: partitions are maintained rarely. */
function ownerAccess(
  { owner }: AssembleOptions,
  options: DatabaseOptions,
  db: Database,
  guard: IdentityGuard,
): Base["asOwner"] {
  if (owner === undefined) return (work) => work(db);
  return async (work) => {
    const target = { hosts: createHosts(owner), guard };
    const owned = openDatabase({ ...options, connection: owner, target });
    try {
      return await work(owned);
    } finally {
      await owned.close();
    }
  };
}

/** Closes dependents before their dependencies. */
async function closeAll(deps: Deps, following: { stop(): Promise<void> }): Promise<void> {
  const { starts, checks } = deps.verifications;
  deps.wakes.close();
  await deps.imports.close();
  await deps.carriers.stop();
  // Items that peers no longer take are written here.
  await deps.peers.close();
  await yieldToEventLoop();
  const { messageWriter, settlements, dueReceipts } = deps;
  const writers = [messageWriter, settlements, dueReceipts, starts, checks, deps.tracked];
  await Promise.all(writers.map((writer) => writer.drain()));
  await deps.webhookSender.close();
  await deps.websites.close();
  await deps.outgoing.close();
  await following.stop();
  await deps.keys.close();
  await deps.notifications.close();
  await deps.db.close();
}

function databaseOptionsOf(options: AssembleOptions): DatabaseOptions {
  return {
    connection: options.connection,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    requestTransactions: requestTransactionsOf(options.config.databaseConnections),
    ...(options.inspect ? { inspect: options.inspect } : {}),
  };
}

/** Private targets are for webhooks: website checks have a client without them. */
function websitesOf(options: AssembleOptions, { config, clock }: Pick<Base, "config" | "clock">) {
  const outgoing = options.outgoing ?? outgoingOf(config, clock);
  return createWebsiteChecker({ outgoing, now: clock.monotonic });
}

/** `privateTargets`: hosts that this client reaches beside public ones. */
function outgoingOf(
  config: Config,
  clock: Clock,
  privateTargets: readonly AllowTarget[] = [],
): Outgoing {
  return createOutgoing({
    now: clock.monotonic,
    userAgent: config.abuseContact ? `${USER_AGENT} (+${config.abuseContact})` : USER_AGENT,
    allowTargets: [...parseAllowTargets(config.allowTargets), ...privateTargets],
    blockTargets: parseBlockTargets(config.blockTargets),
    ...(config.proxyUrl === null ? {} : { proxyUrl: config.proxyUrl }),
  });
}
