/** Minimum of concurrent attempts at one endpoint, for endpoints that hang until the deadline of 5 s. */
const ATTEMPTS_MIN = 6;
const ATTEMPTS_MAX = 48;
/** Attempts in flight times their answer time: 48 attempts at up to 500 ms, 12 at 2 s, ATTEMPTS_MIN from 4 s. */
const IN_FLIGHT_MS = 24_000;
/** Jobs are prefetched if their attempts start within this time in ms. */
const PREFETCH_MS = 1_000;
const PREFETCH_MAX = 500;
/** Assumed answer time in ms of an endpoint without an attempt yet. */
const ANSWER_MS_FIRST = 2_400;
const LAST_ANSWER_WEIGHT = 0.2;

export interface EndpointRef {
  readonly shard: number;
  readonly accountId: string;
  readonly endpointId: string;
}

/** An endpoint's jobs in this process, and the answer time that determines its limits. */
export interface EndpointState<Job> extends EndpointRef {
  inFlight: number;
  /** Claimed jobs without an attempt yet, oldest first. */
  readonly prefetched: Job[];
  /** A moving average, in ms. */
  answerMs: number;
  /** Whether the database may have more ready jobs of this endpoint. */
  mayHaveMore: boolean;
}

export interface EndpointLimits {
  readonly inFlightMax: number;
  /** Maximum of jobs in flight and prefetched. */
  readonly claimedMax: number;
}

export function newEndpoint<Job>({
  shard,
  accountId,
  endpointId,
}: EndpointRef): EndpointState<Job> {
  return {
    shard,
    accountId,
    endpointId,
    inFlight: 0,
    prefetched: [],
    answerMs: ANSWER_MS_FIRST,
    mayHaveMore: true,
  };
}

/** Jobs in flight and prefetched. */
export function claimedCount({ inFlight, prefetched }: EndpointState<unknown>): number {
  return inFlight + prefetched.length;
}

/**
 * An endpoint's share of this process. A hanging endpoint gets a few attempts and almost no prefetched jobs, which
 * leaves connections to other endpoints on the same host; a fast one gets as many as keep it busy.
 */
export function limitsOf({ answerMs }: Pick<EndpointState<unknown>, "answerMs">): EndpointLimits {
  const wanted = Math.round(IN_FLIGHT_MS / answerMs);
  const inFlightMax = Math.min(ATTEMPTS_MAX, Math.max(ATTEMPTS_MIN, wanted));
  const prefetchMax = Math.min(PREFETCH_MAX, Math.ceil((inFlightMax * PREFETCH_MS) / answerMs));
  return { inFlightMax, claimedMax: inFlightMax + prefetchMax };
}

export const LIMITS_OF_UNKNOWN: EndpointLimits = limitsOf({ answerMs: ANSWER_MS_FIRST });

export function noteAnswer(endpoint: EndpointState<unknown>, tookMs: number): void {
  endpoint.answerMs += (Math.max(1, tookMs) - endpoint.answerMs) * LAST_ANSWER_WEIGHT;
}
