import { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { checkConnected } from "./concurrency-limits.ts";
import type { RefusalThrottle } from "./refusal-throttle.ts";

/** Concurrent calls per key. */
const CONCURRENCY = 4;

/**
 * Concurrency limit for costly calls before an account is known: signing in, opening a link. The key is the address
 * (IPv6: its network), or the signed-in user, so that password guessing from an address does not block signed-in users.
 */
export interface AnonymousConcurrency {
  run<T>(key: string, exchange: Pick<Exchange, "request">, work: () => Promise<T>): Promise<T>;
}

export function createAnonymousConcurrency(refusalThrottle: RefusalThrottle): AnonymousConcurrency {
  const limiter = new KeyedLimiter({ concurrency: CONCURRENCY });
  return {
    async run(key, exchange, work) {
      const release = await limiter.acquire(key).catch(async (refusal) => {
        await refusalThrottle.wait(key);
        throw refusal;
      });
      try {
        checkConnected(exchange);
        return await work();
      } finally {
        release();
      }
    },
  };
}
