import { Problem, RATE_LIMIT_BURST_FACTOR } from "@longwave/contract";
import type { AccountRow, Principal } from "../accounts/account-row.ts";
import type { Database } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import type { Clock } from "../platform/clock.ts";

/**
 * Token buckets that hold across processes. The bucket of an account is one row; a process takes
 * a small lease of tokens from it (a twentieth of a second's worth) and spends them from memory.
 * So a request costs no round trip, all processes together never exceed the bucket, and at most
 * one lease per process lies idle.
 */
export interface RateLimiter {
  /** Spends a token; throws `rate_limited`. Null when the account has no limit. */
  take(principal: Principal): RateState | null | Promise<RateState | null>;
}

export interface RateState {
  readonly headers: Readonly<Record<string, string>>;
}

const LEASE_FRACTION_OF_SECOND = 1 / 20;
const LEASE_TOKENS_MAX = 2_000;
const BUCKETS_MAX = 10_000;
const LEASE_TRIES_MAX = 50;

interface Bucket {
  readonly rate: number;
  tokens: number;
  /** Tokens left in the shared row when it was last read. */
  shared: number;
  readAtMs: number;
  leasing: Promise<void> | null;
  emptyUntilMs: number;
}

const leaseTokens = statement(
  "lease_rate_tokens",
  `with bucket as (
     select tokens, refilled_at from rate_buckets where shard = $1 and account_id = $2 for update
   ), filled as (
     select least($3::float8, tokens + greatest(0, extract(epoch from $5::timestamptz - refilled_at)) * $4::float8) as tokens
       from bucket
   ), granted as (
     select tokens, least($6::float8, floor(tokens)) as lease from filled
   ), taken as (
     update rate_buckets b set tokens = g.tokens - g.lease, refilled_at = greatest(b.refilled_at, $5::timestamptz)
       from granted g where b.shard = $1 and b.account_id = $2
   )
   select tokens, lease from granted`,
);

const openBucket = statement(
  "open_rate_bucket",
  `insert into rate_buckets (shard, account_id, tokens, refilled_at) values ($1, $2, $3, $4)
   on conflict (shard, account_id) do nothing`,
);

export function createRateLimiter(db: Database, clock: Clock, defaultRate: number): RateLimiter {
  const buckets = new Map<string, Bucket>();

  const bucketOf = (account: AccountRow, rate: number): Bucket => {
    const known = buckets.get(account.id);
    if (known && known.rate === rate) return known;
    if (buckets.size >= BUCKETS_MAX) buckets.clear();
    const fresh = { rate, tokens: 0, shared: 0, readAtMs: 0, leasing: null, emptyUntilMs: 0 };
    buckets.set(account.id, fresh);
    return fresh;
  };

  const lease = async (account: AccountRow, bucket: Bucket): Promise<void> => {
    const burst = bucket.rate * RATE_LIMIT_BURST_FACTOR;
    const want = Math.min(Math.ceil(bucket.rate * LEASE_FRACTION_OF_SECOND), LEASE_TOKENS_MAX);
    const nowMs = clock.now();
    const owner = [account.shard, account.id];
    const values = [...owner, burst, bucket.rate, new Date(nowMs), want];
    let [row] = await db.query<{ tokens: number; lease: number }>(leaseTokens, values);
    if (!row) {
      await db.query(openBucket, [...owner, burst, new Date(nowMs)]);
      [row] = await db.query<{ tokens: number; lease: number }>(leaseTokens, values);
    }
    if (!row) return;
    bucket.tokens += row.lease;
    bucket.shared = row.tokens - row.lease;
    bucket.readAtMs = nowMs;
    if (row.lease === 0) bucket.emptyUntilMs = nowMs + ((1 - row.tokens) / bucket.rate) * 1_000;
  };
  const leaseOnce = (account: AccountRow, bucket: Bucket): Promise<void> => {
    bucket.leasing ??= lease(account, bucket).finally(() => {
      bucket.leasing = null;
    });
    return bucket.leasing;
  };

  const takeSlowly = async (account: AccountRow, bucket: Bucket): Promise<RateState> => {
    for (let tries = 0; tries < LEASE_TRIES_MAX; tries += 1) {
      if (bucket.tokens >= 1) return spend(bucket, clock.now());
      if (bucket.emptyUntilMs > clock.now()) throw refused(bucket, clock.now());
      await leaseOnce(account, bucket);
    }
    throw refused(bucket, clock.now());
  };

  return {
    take(principal) {
      const rate = principal.account.rate_limit ?? defaultRate;
      if (rate === 0) return null;
      const bucket = bucketOf(principal.account, rate);
      if (bucket.tokens < 1) return takeSlowly(principal.account, bucket);
      const state = spend(bucket, clock.now());
      const isLow = bucket.tokens < (rate * LEASE_FRACTION_OF_SECOND) / 2;
      if (isLow && bucket.emptyUntilMs <= clock.now()) {
        // Ahead of need, so that the next request does not wait. A failure shows when it does.
        leaseOnce(principal.account, bucket).catch(() => {});
      }
      return state;
    },
  };
}

function spend(bucket: Bucket, nowMs: number): RateState {
  bucket.tokens -= 1;
  return { headers: headersOf(bucket, nowMs) };
}

function refused(bucket: Bucket, nowMs: number): Problem {
  const seconds = Math.max(1, Math.ceil((bucket.emptyUntilMs - nowMs) / 1_000));
  return new Problem(
    "rate_limited",
    `This account may make ${bucket.rate} requests a second. Try again in ${seconds} s.`,
    { headers: { ...headersOf(bucket, nowMs), "retry-after": String(seconds) } },
  );
}

function headersOf(bucket: Bucket, nowMs: number): Record<string, string> {
  const burst = bucket.rate * RATE_LIMIT_BURST_FACTOR;
  const refilled = (Math.max(0, nowMs - bucket.readAtMs) / 1_000) * bucket.rate;
  const left = Math.max(0, Math.floor(Math.min(burst, bucket.shared + refilled) + bucket.tokens));
  const remaining = Math.min(burst, left);
  const seconds = Math.max(1, Math.ceil((burst - remaining) / bucket.rate));
  return {
    ratelimit: `"default";r=${remaining};t=${seconds}`,
    "ratelimit-policy": `"default";q=${burst};w=${RATE_LIMIT_BURST_FACTOR}`,
  };
}
