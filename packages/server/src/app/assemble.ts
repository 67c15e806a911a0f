import { createVerifiedNumbers } from "./accounts/verified-numbers.ts";
import { createAutomationDirectory, runFollower, wakeRunsOfPhones } from "./automations/index.ts";
import type { Base } from "./base.ts";
import { batchFollower, createResultsCache, createTurnOrder } from "./batches/index.ts";
import { createStandingReader } from "./billing/index.ts";
import { type Carriers, createCarriers, createReload, readCarriersFile } from "./carriers/index.ts";
import { type Config, environment } from "./config.ts";
import { createCustomerDirectory } from "./customers/index.ts";
import { readDistribution } from "./db/citus/distribute.ts";
import type { Door } from "./db/client.ts";
import { type Database, type DatabaseOptions, openDatabase, plainClient } from "./db/database.ts";
import { followDatabaseTime } from "./db/database-time.ts";
import { createHomeGuard, type HomeGuard, type Seen } from "./db/home.ts";
import { type Connection, createHosts } from "./db/hosts.ts";
import { openNotifications } from "./db/notifications.ts";
import { requestTransactionsOf } from "./db/profiles.ts";
import type { Statement } from "./db/statement.ts";
import type { Deps } from "./deps.ts";
import { createEventWaits } from "./events/index.ts";
import {
  createCarrierSink,
  createElsewhere,
  createMessageWriter,
  createSettlementWriter,
  followAll,
  type HandoverDeps,
} from "./handover/index.ts";
import { createImportRuns } from "./importer/index.ts";
import { simulateReply } from "./inbound/index.ts";
import { openInstallation } from "./installation.ts";
import { createKeyDirectory } from "./keys/index.ts";
import { lanes } from "./lanes.ts";
import { createLookup } from "./lookup/index.ts";
import {
  countAssigned,
  createNumberDirectory,
  followRegistrations,
  lockFollowers,
} from "./numbers/index.ts";
import { type Clock, isShifted, shiftedClock, systemClock } from "./platform/clock.ts";
import { createIds } from "./platform/ids.ts";
import type { Log } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";
import {
  createOutgoing,
  type Outgoing,
  parseAllowTargets,
  parseBlockTargets,
} from "./platform/outgoing/index.ts";
import { type Random, systemRandom } from "./platform/random.ts";
import { createSecrets } from "./platform/secrets.ts";
import { createTurns } from "./platform/turns.ts";
import type { QueueDeps } from "./queue/deps.ts";
import { queueHealth } from "./queue/health.ts";
import { bindLane, createWakes, type Lane } from "./queue/lane.ts";
import { followTestClock } from "./queue/test-clock.ts";
import {
  createRegistryLinks,
  createWebsiteChecker,
  type Registry,
  registeredReplies,
  registrationStandings,
  registryOf,
} from "./registrations/index.ts";
import { scheduleFollower } from "./schedules/index.ts";
import { segmentFilter } from "./segments/index.ts";
import { createTrackWriter } from "./track/index.ts";
import { callBack, tokenOf } from "./twilio/index.ts";
import {
  createVerificationFollower,
  createVerificationWriters,
  heedServiceText,
} from "./verify/index.ts";
import { createWebhookSender, wakeOnEvents } from "./webhooks/index.ts";

/**
 * Transactions of one account's requests at a time: nearly all of them lock the account, so more would only
 * stand in line before that lock, where whoever else moves something of the account would come after
 * them, and each with one of the connections that everybody's transactions share. The second begins while the
 * first is committed.
 */
const TRANSACTIONS_IN_HAND_MAX = 2;
const TRANSACTIONS_WAITING_MAX = 5_000;

/** A database that hangs is answered with 503 within five seconds, so this stays below. */
const STATEMENT_TIMEOUT_MS = 4_000;
const LOCK_TIMEOUT_MS = 2_000;
const USER_AGENT = "Longwave/1.0";
/** Calls of one account that may start many runs, in hand at a time in each process. */
const TRACK_CALLS_IN_HAND_MAX = 2;

/** What differs between the real thing and a test. */
export interface AssembleOptions {
  readonly config: Config;
  readonly connection: Connection;
  /** As who partitions are made and dropped; the application itself, unless given. */
  readonly owner?: Connection;
  /** What the database was seen to be; connections to an older or another one are refused. */
  readonly seen?: Seen;
  readonly rootKey: Buffer;
  readonly log: Log;
  readonly random?: Random;
  readonly inspect?: (statement: Statement) => void;
  /** Sources of due work instead of the real ones, for tests of the queue itself. */
  readonly lanes?: readonly Lane<Deps>[];
  /** Whether the process hands over what others accepted; by the configured roles unless given. */
  readonly doesDueWork?: boolean;
  /** Binds to no carrier, whatever the carriers file says: for an installation on hold. */
  readonly withoutCarriers?: boolean;
  /** Links to carriers instead of those of the carriers file, for tests of what they may do. */
  readonly carriers?: Carriers;
  /** A registry instead of the one that the settings name. */
  readonly registry?: Registry;
  /** The way out, for tests with name servers and certificates of their own. */
  readonly outgoing?: Outgoing;
}

/** Builds what every domain needs, from the bottom to the top. The database is migrated already. */
export async function assemble(
  options: AssembleOptions,
): Promise<{ deps: Deps; guard: HomeGuard; close(): Promise<void> }> {
  const { base, following, guard } = await assembleBase(options);
  const { db, clock, notifications, metrics } = base;
  const queue: QueueDeps = { ...base, wakes: createWakes(base) };
  const file = options.withoutCarriers ? null : base.config.carriersFile;
  const carriers =
    options.carriers ??
    createCarriers(await readCarriersFile(file, environment), queue, {
      mayOwn: options.doesDueWork ?? base.config.roles.includes("worker"),
    });
  const follower = followAll([
    batchFollower,
    scheduleFollower,
    runFollower,
    createVerificationFollower(base),
  ]);
  await carriers.start(createCarrierSink({ ...queue, follower }));
  const reloadCarriers = createReload(base, carriers, environment);
  const webhookSender = createWebhookSender(queue, (target, event) =>
    callBack(deps, target, event),
  );
  wakeOnEvents(queue);
  const lookup = createLookup(base);
  const handover: HandoverDeps = {
    ...queue,
    standings: createStandingReader(db, clock, metrics.group("standings")),
    verifiedNumbers: createVerifiedNumbers(db, clock, notifications),
    callbackToken: (account) =>
      base.config.twilioDoor ? tokenOf(base, account) : Promise.resolve(null),
    customers: createCustomerDirectory(db, clock, notifications),
    numbers: createNumberDirectory(db, clock, notifications, metrics.group("pool_choices")),
    carriers,
    reloadCarriers,
    messageWriter: createMessageWriter(queue),
    settlements: createSettlementWriter({ ...queue, follower }),
    elsewhere: createElsewhere(base),
    follower,
    heedOptOuts: (tx, owner, phones) => wakeRunsOfPhones(base, tx, owner, phones),
    simulateReply: (tx, delivered) => simulateReply(deps, tx, delivered),
  };
  const registry = options.registry ?? registryOf(base);
  const links = createRegistryLinks(base, registry);
  const deps: Deps = {
    ...handover,
    keys: createKeyDirectory(db, clock, notifications, base.log),
    countAssigned,
    segmentFilter,
    websites: createWebsiteChecker({ outgoing: base.outgoing, now: base.clock.monotonic }),
    registry,
    registrationStandings,
    linksAtOnce: links.atOnce,
    linkSender: links.link,
    unlinkSender: links.unlink,
    followSenders: async (tx, account) => {
      await lockFollowers(tx, account);
      await followRegistrations(base, tx, account, await registrationStandings(tx, account));
    },
    eventWaits: createEventWaits(base),
    webhookSender,
    registeredReplies,
    heedServiceText: (tx, text) => heedServiceText(base, tx, text),
    batchResults: createResultsCache(),
    batchTurns: createTurnOrder(),
    automations: createAutomationDirectory(db, clock, notifications),
    tracked: createTrackWriter(base),
    trackTurns: createTurns(TRACK_CALLS_IN_HAND_MAX),
    lookup,
    rangePlaces: lookup.numbering.rangesOf,
    imports: createImportRuns(base),
    verifications: createVerificationWriters(handover),
    lanes: (options.lanes ?? lanes).map((lane) => bindLane(lane, () => deps)),
  };
  metrics.watchQueue(() => queueHealth(deps));
  return { deps, guard, close: () => closeAll(deps, following) };
}

/** What lies below all domains, and what keeps its clock. */
async function assembleBase(
  options: AssembleOptions,
): Promise<{ base: Base; following: { stop(): Promise<void> }; guard: HomeGuard }> {
  const { config, log } = options;
  const clock = config.testClock ? shiftedClock() : systemClock();
  const random = options.random ?? systemRandom();
  const guard = createHomeGuard(options.seen ?? null);
  const door = { hosts: createHosts(options.connection), guard };
  const asked = databaseOptionsOf(options);
  const databaseOptions = { ...asked, isDistributed: await isDistributedAt(asked, door) };
  const db = openDatabase({ ...databaseOptions, door });
  const makeClient = plainClient(databaseOptions, door);
  const notifications = await openNotifications({ makeClient, db, clock, log });
  const ids = createIds(clock, random);
  const metrics = createMetrics(clock);
  metrics.watchPool(() => db.poolState());
  const secrets = createSecrets(options.rootKey, random);
  const { shards } = await openInstallation(db, clock, secrets, config.shards);
  const following = isShifted(clock)
    ? await followTestClock({ clock, db, notifications, log }, ids.make())
    : await followDatabaseTime({ clock, db, log });
  const outgoing = options.outgoing ?? outgoingOf(config, clock);
  const extraRegions = new Set(config.extraRegions);
  const base = {
    ...{ config, clock, random, ids, log, metrics, secrets },
    ...{ db, notifications, outgoing, extraRegions, shards },
    transactionTurns: createTurns(TRANSACTIONS_IN_HAND_MAX, TRANSACTIONS_WAITING_MAX),
    asOwner: ownerAccess(options, databaseOptions, db, guard),
  };
  return { base, following, guard };
}

/** Tables are distributed while no process runs, so this holds for as long as the process does. */
async function isDistributedAt(options: DatabaseOptions, door: Door): Promise<boolean> {
  const client = plainClient(options, door)();
  await client.connect();
  try {
    return (await readDistribution(client)).isDistributed;
  } finally {
    await client.end();
  }
}

/** Opened for each piece of work and closed after it: it is seldom needed. */
function ownerAccess(
  { owner }: AssembleOptions,
  options: DatabaseOptions,
  db: Database,
  guard: HomeGuard,
): Base["asOwner"] {
  if (owner === undefined) return (work) => work(db);
  return async (work) => {
    const door = { hosts: createHosts(owner), guard };
    const owned = openDatabase({ ...options, connection: owner, door });
    try {
      return await work(owned);
    } finally {
      await owned.close();
    }
  };
}

/** In the order in which things depend on each other, the last first. */
async function closeAll(deps: Deps, following: { stop(): Promise<void> }): Promise<void> {
  const { starts, checks } = deps.verifications;
  deps.wakes.close();
  await deps.imports.close();
  await deps.carriers.stop();
  const writers = [deps.messageWriter, deps.settlements, starts, checks, deps.tracked];
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

function outgoingOf(config: Config, clock: Clock): Outgoing {
  return createOutgoing({
    now: clock.monotonic,
    userAgent: config.abuseContact ? `${USER_AGENT} (+${config.abuseContact})` : USER_AGENT,
    allowTargets: parseAllowTargets(config.allowTargets),
    blockTargets: parseBlockTargets(config.blockTargets),
    ...(config.proxyUrl === null ? {} : { proxyUrl: config.proxyUrl }),
  });
}
