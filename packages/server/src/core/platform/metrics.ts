import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Clock } from "./clock.ts";
import { createHistogram } from "./histogram.ts";

/**
 * Metrics of the server. Labels name routes, groups and states, never an account, a number or anything else that
 * grows with use.
 */
export interface Metrics {
  /** Registry to which a domain adds its own metrics. */
  readonly registry: Registry;
  /** The meter of one route, made once at start. */
  route(name: string): RouteMeter;
  /** The meter of one group of writes; see core/db/driver/group.ts. */
  group(name: string): GroupMeter;
  readonly rateLimited: Counter;
  readonly replayed: Counter;
  /** Requests that the request log left out because too many waited to be written. */
  readonly requestsUnlogged: Counter;
  /** Inbound messages and receipts for numbers or messages that the carrier does not serve. */
  readonly unownedTexts: Counter;
  readonly unownedReceipts: Counter;
  /** Watches a pool of database connections. */
  watchPool(state: () => PoolState): void;
  /** Watches how far due work is behind. */
  watchQueue(state: () => Promise<QueueState>): void;
  /** Memory, processor, event loop and garbage collection of this process. */
  watchProcess(): void;
}

/** Records an answer's status and duration. */
export type RouteMeter = (status: number, seconds: number) => void;

export interface GroupMeter {
  /** Called when a write begins; call the returned function when the write has ended. */
  start(items: number): () => void;
}

export interface PoolState {
  readonly waiting: number;
  readonly idle: number;
  readonly total: number;
}

export interface QueueState {
  readonly liveWorkers: number;
  readonly lanes: readonly { readonly lane: string; readonly secondsBehind: number }[];
}

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
const GROUP_BUCKETS_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;
/** Coarse on purpose: a timer every 10 ms would cost a tenth of a core. */
const EVENT_LOOP_RESOLUTION_MS = 100;

export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = createHistogram(registry, {
    name: "longwave_http_request_duration_seconds",
    help: "Time from the headers of a request to its answer, by route and class of status.",
    buckets: DURATION_BUCKETS_SECONDS,
  });
  const groups = createGroupMeters(registry, clock);
  return {
    registry,
    route(name) {
      const byClass = STATUS_CLASSES.map((status) => requests({ route: name, status }));
      return (status, seconds) => byClass[Math.floor(status / 100) - 1]?.(seconds);
    },
    group: groups,
    rateLimited: new Counter({
      name: "longwave_rate_limited_total",
      help: "Requests refused because their account exceeded its rate limit.",
      registers,
    }),
    replayed: new Counter({
      name: "longwave_idempotent_replays_total",
      help: "Stored answers repeated for an Idempotency-Key.",
      registers,
    }),
    requestsUnlogged: new Counter({
      name: "longwave_requests_unlogged_total",
      help: "Requests that the console's request log left out: too many waited, or a write failed.",
      registers,
    }),
    unownedTexts: new Counter({
      name: "longwave_inbound_unowned_total",
      help: "Inbound messages for numbers that the carrier does not serve or that nobody holds.",
      labelNames: ["carrier"],
      registers,
    }),
    unownedReceipts: new Counter({
      name: "longwave_receipts_unowned_total",
      help: "Receipts for messages that the carrier did not have.",
      labelNames: ["carrier"],
      registers,
    }),
    watchPool: (state) => watchPool(registry, state),
    watchQueue: (state) => watchQueue(registry, state),
    watchProcess() {
      collectDefaultMetrics({
        register: registry,
        eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS,
      });
    },
  };
}

function createGroupMeters(registry: Registry, clock: Clock): (name: string) => GroupMeter {
  const sizes = createHistogram(registry, {
    name: "longwave_group_items",
    help: "Items that one write of a group carried.",
    buckets: GROUP_BUCKETS_ITEMS,
  });
  const durations = createHistogram(registry, {
    name: "longwave_group_write_duration_seconds",
    help: "Time that one write of a group took.",
    buckets: DURATION_BUCKETS_SECONDS,
  });
  return (name) => {
    const size = sizes({ group: name });
    const duration = durations({ group: name });
    return {
      start(items) {
        const startedMs = clock.monotonic();
        size(items);
        return () => duration((clock.monotonic() - startedMs) / 1_000);
      },
    };
  };
}

function watchPool(registry: Registry, state: () => PoolState): void {
  const registers = [registry];
  new Gauge({
    name: "longwave_database_pool_waiting",
    help: "Transactions that wait for a connection.",
    registers,
    collect() {
      this.set(state().waiting);
    },
  });
  new Gauge({
    name: "longwave_database_pool_connections",
    help: "Connections of the pool, by what they do.",
    labelNames: ["state"],
    registers,
    collect() {
      const { idle, total } = state();
      this.set({ state: "idle" }, idle);
      this.set({ state: "busy" }, total - idle);
    },
  });
}

/** Every process reads the same queue, so the aggregate shows the worst value. */
function watchQueue(registry: Registry, state: () => Promise<QueueState>): void {
  const registers = [registry];
  new Gauge({
    name: "longwave_workers_live",
    help: "Worker processes with a recent heartbeat.",
    aggregator: "min",
    registers,
    async collect() {
      this.set(
        await state().then(
          (now) => now.liveWorkers,
          () => 0,
        ),
      );
    },
  });
  new Gauge({
    name: "longwave_lane_seconds_behind",
    help: "How long the oldest due work of a lane has waited.",
    labelNames: ["lane"],
    aggregator: "max",
    registers,
    async collect() {
      const lanes = await state().then(
        (now) => now.lanes,
        () => [],
      );
      for (const { lane, secondsBehind } of lanes) this.set({ lane }, secondsBehind);
    },
  });
}
