import { counted, Problem } from "@longwave/contract";
import type { Clock } from "../platform/clock.ts";
import { networkOf } from "./client-address.ts";

/** Refusals for want of a valid credential that one address gets before it is told to wait. */
export interface AddressLimits {
  readonly refusalsBurst: number;
  readonly refusalsPerSecond: number;
}

export const ADDRESS_LIMITS: AddressLimits = { refusalsBurst: 200, refusalsPerSecond: 20 };

const ADDRESSES_MAX = 10_000;

/**
 * A token bucket per address (of IPv6, per network of 64 bits) for answers 401. Whoever has a valid
 * credential never meets it, so nobody is locked out by a neighbour behind the same address.
 */
export interface AddressLimiter {
  /** Counts a refusal: the refusal itself, or, when the bucket is empty, `rate_limited`. */
  refuse(address: string, refusal: () => Problem): { problem: Problem; isLimited: boolean };
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

export function createAddressLimiter(clock: Clock, limits: AddressLimits): AddressLimiter {
  const { refusalsBurst, refusalsPerSecond } = limits;
  const buckets = new Map<string, Bucket>();
  const fill = (bucket: Bucket, nowMs: number) => {
    const gained = ((nowMs - bucket.filledAtMs) / 1_000) * refusalsPerSecond;
    bucket.tokens = Math.min(refusalsBurst, bucket.tokens + gained);
    bucket.filledAtMs = nowMs;
  };
  const bucketOf = (network: string): Bucket => {
    const nowMs = clock.monotonic();
    const bucket = buckets.get(network) ?? { tokens: refusalsBurst, filledAtMs: nowMs };
    fill(bucket, nowMs);
    // Newest last, so that the first is the one heard of longest ago.
    buckets.delete(network);
    const [oldest] = buckets.size >= ADDRESSES_MAX ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    buckets.set(network, bucket);
    return bucket;
  };
  return {
    refuse(address, refusal) {
      const bucket = bucketOf(networkOf(address));
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return { problem: refusal(), isLimited: false };
      }
      const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / refusalsPerSecond));
      const problem = new Problem(
        "rate_limited",
        `Too many requests without a valid credential came from your address. Check the key, and try again in ${counted(seconds, "second")}.`,
        { headers: { "retry-after": String(seconds) } },
      );
      return { problem, isLimited: true };
    },
  };
}
