import type { Clock } from "../../core/platform/clock.ts";
import {
  claimedCount,
  type EndpointLimits,
  type EndpointRef,
  type EndpointState,
  LIMITS_OF_UNKNOWN,
  limitsOf,
  newEndpoint,
  noteAnswer,
} from "./endpoint-concurrency.ts";

/** Claimed jobs in this process: prefetched, in flight, or waiting to be recorded. */
const CLAIMED_MAX = 4_000;
const IN_FLIGHT_MAX = 1_000;
/** Endpoints with claimed jobs share both maxima; each gets at least this much. */
const SHARE_MIN = 2;
/** States of endpoints before idle ones are forgotten. */
const ENDPOINTS_MAX = 1_000;
/** Longest wait in ms of a prefetched job before its release: its lease of 15 s must outlast an attempt of 5 s. */
const PREFETCHED_MS_MAX = 6_000;
const CLOSE_MS_MAX = 8_000;

export interface Dispatchable extends EndpointRef {
  readonly claimedAtMs: number;
}

export interface DispatcherOptions<Job> {
  readonly clock: Clock;
  /** Makes the attempt. Resolves with its duration; `recorded` resolves when the database has the outcome. */
  readonly deliver: (job: Job) => Promise<{ tookMs: number; recorded: Promise<void> }>;
  /** Ends the leases of jobs without an attempt. */
  readonly release: (jobs: readonly Job[]) => Promise<void>;
  /** Asks for a claim; not called again before that claim reads the free slots. */
  readonly refill: () => void;
}

/** How many more jobs of an endpoint a claim may take. */
export interface FreeSlots {
  readonly shard: number;
  readonly endpointId: string;
  readonly slots: number;
}

/** Starts the attempts of claimed jobs within limits per endpoint, so that no endpoint waits for another. */
export class Dispatcher<Job extends Dispatchable> {
  readonly #options: DispatcherOptions<Job>;
  readonly #endpoints = new Map<string, EndpointState<Job>>();
  #claimed = 0;
  /** Endpoints with claimed jobs, as of the last claim. */
  #busyEndpoints = 0;
  #isClosed: boolean = false;
  #isRefillAsked: boolean = false;
  #onIdle: (() => void) | null = null;

  constructor(options: DispatcherOptions<Job>) {
    this.#options = options;
  }

  /** Jobs that the next claim may take in all. */
  get capacity(): number {
    return this.#isClosed ? 0 : Math.max(0, CLAIMED_MAX - this.#claimed);
  }

  /** The free slots of an endpoint without a state. */
  get slotsOfUnknown(): number {
    return this.#shareOf(LIMITS_OF_UNKNOWN).claimedMax;
  }

  /** The free slots of every endpoint with a state, for a claim. */
  freeSlots(): FreeSlots[] {
    this.#isRefillAsked = false;
    const endpoints = [...this.#endpoints.values()];
    this.#busyEndpoints = endpoints.filter((endpoint) => claimedCount(endpoint) > 0).length;
    return endpoints.map((endpoint) => {
      const { shard, endpointId } = endpoint;
      const slots = this.#slotsOf(endpoint);
      // The claim leaves it out, so its next free slots ask for another claim.
      if (slots === 0) endpoint.mayHaveMore = true;
      return { shard, endpointId, slots };
    });
  }

  /** Starts or prefetches the jobs of a claim; an endpoint without jobs in the claim has no more. */
  take(jobs: readonly Job[], offered: readonly FreeSlots[]): void {
    for (const { endpointId, slots } of offered) {
      const endpoint = this.#endpoints.get(endpointId);
      if (endpoint && slots > 0) endpoint.mayHaveMore = false;
    }
    const endpoints = new Set<EndpointState<Job>>();
    for (const job of jobs) {
      const endpoint = this.#endpointOf(job);
      endpoint.mayHaveMore = true;
      endpoint.prefetched.push(job);
      endpoints.add(endpoint);
    }
    this.#claimed += jobs.length;
    for (const endpoint of endpoints) this.#begin(endpoint);
  }

  /** Releases the prefetched jobs of an account, or of all (null): its endpoints may have changed. */
  recall(accountId: string | null): void {
    for (const endpoint of this.#endpoints.values()) {
      if (accountId === null || endpoint.accountId === accountId) this.#releasePrefetched(endpoint);
    }
  }

  /** Starts no further attempts. */
  stop(): void {
    this.#isClosed = true;
  }

  /** Releases prefetched jobs and waits for attempts in flight. */
  async close(): Promise<void> {
    this.stop();
    this.recall(null);
    if (this.#claimed === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await Promise.race([idle, this.#options.clock.sleep(CLOSE_MS_MAX)]);
  }

  #endpointOf(ref: EndpointRef): EndpointState<Job> {
    const known = this.#endpoints.get(ref.endpointId);
    if (known) return known;
    if (this.#endpoints.size >= ENDPOINTS_MAX) {
      for (const [id, endpoint] of this.#endpoints) {
        if (claimedCount(endpoint) === 0 && !endpoint.mayHaveMore) this.#endpoints.delete(id);
      }
    }
    const endpoint = newEndpoint<Job>(ref);
    this.#endpoints.set(ref.endpointId, endpoint);
    return endpoint;
  }

  /** No free slots until half are free: a claim of one job costs nearly as much as a claim of many. */
  #slotsOf(endpoint: EndpointState<Job>): number {
    const { claimedMax } = this.#shareOf(limitsOf(endpoint));
    const free = claimedMax - claimedCount(endpoint);
    return free >= claimedMax / 2 ? free : 0;
  }

  #shareOf({ inFlightMax, claimedMax }: EndpointLimits): EndpointLimits {
    const share = (total: number) =>
      Math.max(SHARE_MIN, Math.floor(total / Math.max(1, this.#busyEndpoints)));
    return {
      inFlightMax: Math.min(inFlightMax, share(IN_FLIGHT_MAX)),
      claimedMax: Math.min(claimedMax, share(CLAIMED_MAX)),
    };
  }

  #begin(endpoint: EndpointState<Job>): void {
    const now = this.#options.clock.monotonic();
    const { inFlightMax } = this.#shareOf(limitsOf(endpoint));
    while (!this.#isClosed && endpoint.inFlight < inFlightMax) {
      const [oldest] = endpoint.prefetched;
      if (!oldest) return;
      if (now - oldest.claimedAtMs > PREFETCHED_MS_MAX) {
        this.#releasePrefetched(endpoint);
        return;
      }
      endpoint.prefetched.shift();
      endpoint.inFlight += 1;
      void this.#deliver(endpoint, oldest);
    }
  }

  async #deliver(endpoint: EndpointState<Job>, job: Job): Promise<void> {
    const { tookMs, recorded } = await this.#options.deliver(job);
    endpoint.inFlight -= 1;
    noteAnswer(endpoint, tookMs);
    this.#begin(endpoint);
    if (endpoint.mayHaveMore && this.#slotsOf(endpoint) > 0) this.#askRefill();
    await recorded;
    this.#forget(1);
  }

  #releasePrefetched(endpoint: EndpointState<Job>): void {
    const jobs = endpoint.prefetched.splice(0);
    if (jobs.length === 0) return;
    void this.#options.release(jobs).then(() => {
      this.#forget(jobs.length);
      this.#askRefill();
    });
  }

  #forget(count: number): void {
    const wasFull = this.capacity === 0;
    this.#claimed -= count;
    if (wasFull) this.#askRefill();
    if (this.#claimed === 0) this.#onIdle?.();
  }

  #askRefill(): void {
    if (this.#isClosed || this.#isRefillAsked) return;
    this.#isRefillAsked = true;
    this.#options.refill();
  }
}
