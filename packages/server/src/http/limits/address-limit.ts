import { counted, Problem } from "@longwave/contract";
import type { Clock } from "../../core/platform/clock.ts";
import { networkOf } from "../exchange/client-address.ts";

/** 401 answers per address before the address gets `rate_limited`. */
export interface AddressLimits {
  readonly refusalsBurst: number;
  readonly refusalsPerSecond: number;
}

export const ADDRESS_LIMITS: AddressLimits = { refusalsBurst: 200, refusalsPerSecond: 20 };

const ADDRESSES_MAX = 10_000;

/**
 * A token bucket per address (IPv6: per /64 network) for 401 answers. Requests with a valid credential never touch the
 * bucket, so a neighbour behind the same address locks nobody out.
 */
export interface AddressLimiter {
  /** Counts a refusal: returns the refusal itself, or `rate_limited` when the bucket is empty. */
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
    // Reinserted as the newest, so that the first entry is the least recently used.
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
