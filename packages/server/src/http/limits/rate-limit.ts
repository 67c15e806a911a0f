import { counted, Problem, RATE_LIMIT_BURST_FACTOR } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { type Clock, shiftMsOf } from "../../core/platform/clock.ts";
import type { AccountRow, Principal } from "../api/caller.ts";

/**
 * Token buckets shared by all processes. An account's bucket is one row; a process leases a few tokens from it and
 * spends them from memory. A request costs no round trip of its own, all processes together never exceed the bucket,
 * and unused leases are small and expire soon. The database's clock refills the row, so that skewed clocks of processes
 * do not matter.
 */
export interface RateLimiter {
  /** Spends a token, if one is left. */
  take(principal: Pick<Principal, "account">): Taken | Promise<Taken>;
}

/** Outcome of taking a token. */
export interface Taken {
  /** Rate headers for every answer to this request; null without a limit. */
  readonly headers: RateHeaders | null;
  /** `rate_limited`, when no token was left. */
  readonly refusal: Problem | null;
}

export type RateHeaders = Readonly<Record<string, string>>;

const UNLIMITED: Taken = { headers: null, refusal: null };

/** Size of a lease: this part of a second's tokens, or this part of the bucket while it is full. */
const LEASE_PART_OF_SECOND = 1 / 20;
const LEASE_PART_OF_BUCKET = 1 / 8;
const LEASE_TOKENS_MAX = 2_000;
/** Unspent tokens of a lease expire after this many ms, so that no process hoards them. */
const LEASE_AGE_MS_MAX = 1_000;
const LEASE_ATTEMPTS_MAX = 20;
const BUCKETS_MAX = 10_000;

interface Bucket {
  readonly rate: number;
  tokens: number;
  leasedAtMs: number;
  /** Tokens left in the shared row at the last read. */
  shared: number;
  /** Requests waiting for a lease. */
  waiting: number;
  leasing: Promise<void> | null;
  emptyUntilMs: number;
}

// `$5`: ms that the test clock runs ahead. `for update` waits for a concurrent lease and then reads the updated row, so
// no token is leased twice.
const leaseTokens = statement(
  "lease_rate_tokens",
  `with bucket as (
     select tokens, refilled_at, clock_timestamp() + $5::float8 * interval '1 millisecond' as at
       from rate_buckets where shard = $1 and account_id = $2 for update
   ), filled as (
     select at, least($3::float8, tokens + greatest(0, extract(epoch from at - refilled_at)) * $4::float8) as tokens
       from bucket
   ), granted as (
     select at, tokens, least(floor(tokens), greatest($6::float8, floor(tokens * $7::float8))) as lease
       from filled
   ), taken as (
     update rate_buckets b set tokens = g.tokens - g.lease, refilled_at = greatest(b.refilled_at, g.at)
       from granted g where b.shard = $1 and b.account_id = $2
   )
   select tokens, lease from granted`,
);

// A missing bucket is full: the account is new, or the database crashed and lost the unlogged rows.
const openBucket = statement(
  "open_rate_bucket",
  `insert into rate_buckets (shard, account_id, tokens, refilled_at)
   values ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
   on conflict (shard, account_id) do nothing`,
);

export function createRateLimiter(db: Database, clock: Clock, defaultRate: number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  // Monotonic, unlike the machine's time, and follows the test clock.
  const nowMs = () => clock.monotonic() + shiftMsOf(clock);

  const bucketOf = (account: AccountRow, rate: number): Bucket => {
    const known = buckets.get(account.id);
    if (known && known.rate === rate) return known;
    if (buckets.size >= BUCKETS_MAX) buckets.clear();
    const fresh = newBucket(rate, nowMs());
    buckets.set(account.id, fresh);
    return fresh;
  };

  const lease = async (account: AccountRow, bucket: Bucket): Promise<void> => {
    const burst = bucket.rate * RATE_LIMIT_BURST_FACTOR;
    const usual = usualLease(bucket.rate);
    const least = Math.max(usual, bucket.waiting);
    const want = Math.min(least, LEASE_TOKENS_MAX);
    const owner = [account.shard, account.id];
    const values = [...owner, burst, bucket.rate, shiftMsOf(clock), want, LEASE_PART_OF_BUCKET];
    let [row] = await db.query<{ tokens: number; lease: number }>(leaseTokens, values);
    if (!row) {
      await db.query(openBucket, [...owner, burst, shiftMsOf(clock)]);
      [row] = await db.query<{ tokens: number; lease: number }>(leaseTokens, values);
    }
    if (!row) return;
    const now = nowMs();
    bucket.tokens = leasedTokens(bucket, now) + row.lease;
    bucket.leasedAtMs = now;
    bucket.shared = row.tokens - row.lease;
    if (row.lease < usual) {
      // The bucket is empty. Asking again before a whole lease has refilled would cost a round trip per token.
      bucket.emptyUntilMs = now + ((usual - bucket.shared) / bucket.rate) * 1_000;
    }
  };
  const leaseOnce = (account: AccountRow, bucket: Bucket): Promise<void> => {
    bucket.leasing ??= lease(account, bucket).finally(() => {
      bucket.leasing = null;
    });
    return bucket.leasing;
  };

  const takeAfterLease = async (account: AccountRow, bucket: Bucket): Promise<Taken> => {
    bucket.waiting += 1;
    try {
      for (let tries = 0; tries < LEASE_ATTEMPTS_MAX; tries += 1) {
        if (leasedTokens(bucket, nowMs()) >= 1) return spend(bucket, nowMs());
        if (bucket.emptyUntilMs > nowMs()) break;
        await leaseOnce(account, bucket);
      }
    } finally {
      bucket.waiting -= 1;
    }
    return refused(bucket, nowMs());
  };

  const rateOf = (principal: Pick<Principal, "account">) =>
    principal.account.rate_limit ?? defaultRate;
  return {
    take(principal) {
      const rate = rateOf(principal);
      if (rate === 0) return UNLIMITED;
      const bucket = bucketOf(principal.account, rate);
      const now = nowMs();
      if (leasedTokens(bucket, now) < 1) return takeAfterLease(principal.account, bucket);
      const taken = spend(bucket, now);
      const isLow = bucket.tokens < (rate * LEASE_PART_OF_SECOND) / 2;
      if (isLow && bucket.emptyUntilMs <= now) {
        // Leases ahead of need, so that the next request does not wait. The next lease reports a failure.
        leaseOnce(principal.account, bucket).catch(() => {});
      }
      return taken;
    },
  };
}

function usualLease(rate: number): number {
  return Math.ceil(rate * LEASE_PART_OF_SECOND);
}

function newBucket(rate: number, now: number): Bucket {
  const burst = rate * RATE_LIMIT_BURST_FACTOR;
  return {
    rate,
    tokens: 0,
    leasedAtMs: now,
    shared: burst,
    waiting: 0,
    leasing: null,
    emptyUntilMs: 0,
  };
}

function leasedTokens(bucket: Bucket, now: number): number {
  return now - bucket.leasedAtMs > LEASE_AGE_MS_MAX ? 0 : bucket.tokens;
}

function spend(bucket: Bucket, now: number): Taken {
  bucket.tokens -= 1;
  return { headers: headersOf(bucket, now), refusal: null };
}

function refused(bucket: Bucket, now: number): Taken {
  const { rate } = bucket;
  // At most the refill time of a whole lease, even if the clock was set back.
  const waitSeconds = Math.min((bucket.emptyUntilMs - now) / 1_000, usualLease(rate) / rate);
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  const refusal = new Problem(
    "rate_limited",
    `This account may make ${counted(rate, "request")} a second. Try again in ${counted(seconds, "second")}.`,
    { headers: { "retry-after": String(seconds) } },
  );
  return { headers: headersOf(bucket, now), refusal };
}

/** Tokens left and seconds until the bucket is full, as structured fields. */
function headersOf(bucket: Bucket, now: number): RateHeaders {
  const burst = bucket.rate * RATE_LIMIT_BURST_FACTOR;
  const refilled = (Math.max(0, now - bucket.leasedAtMs) / 1_000) * bucket.rate;
  const shared = Math.min(burst, bucket.shared + refilled);
  const left = Math.floor(Math.min(burst, shared + leasedTokens(bucket, now)));
  const isEmpty = bucket.emptyUntilMs > now;
  const remaining = isEmpty ? 0 : Math.max(0, left);
  const seconds = Math.max(1, Math.ceil((burst - remaining) / bucket.rate));
  return {
    ratelimit: `"default";r=${remaining};t=${seconds}`,
    "ratelimit-policy": `"default";q=${burst};w=${RATE_LIMIT_BURST_FACTOR}`,
  };
}
