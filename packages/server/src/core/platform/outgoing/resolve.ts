/**
 * DNS lookups with a short cache: an answer is kept for a few seconds and never longer than its TTL. Safety does not
 * depend on that, because sockets only connect to checked addresses.
 */
import { lookup, Resolver } from "node:dns/promises";
import { UnresolvedError } from "./failure.ts";

export type AddressList = readonly string[];

export interface AddressResolver {
  /** All A and AAAA answers for a name; `system` asks the operating system, hosts file included. */
  resolve(host: string, source: "dns" | "system"): Promise<AddressList>;
}

export interface ResolverOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Addresses of DNS servers, each with an optional port; the system's own when omitted. */
  readonly dnsServers?: readonly string[];
}

const ANSWERS_MAX = 16;
const RESOLVE_MS_MAX = 2_000;
const QUERY_TRIES = 2;
const CACHE_MS_MAX = 5_000;
const CACHE_NAMES_MAX = 2_000;

interface CacheEntry {
  readonly answer: Promise<AddressList>;
  /** Infinity while the query runs, so that concurrent callers share it. */
  freshUntilMs: number;
}

interface Answer {
  readonly addresses: AddressList;
  readonly ttlSeconds: number;
}

export function createAddressResolver(options: ResolverOptions): AddressResolver {
  const dns = new Resolver({ timeout: RESOLVE_MS_MAX / QUERY_TRIES, tries: QUERY_TRIES });
  if (options.dnsServers !== undefined) dns.setServers(options.dnsServers);
  const cache = new Map<string, CacheEntry>();

  function ask(key: string, query: () => Promise<Answer>): Promise<AddressList> {
    const known = cache.get(key);
    if (known !== undefined && options.now() < known.freshUntilMs) return known.answer;
    const answered = query();
    const entry: CacheEntry = {
      answer: answered.then((answer) => answer.addresses),
      freshUntilMs: Number.POSITIVE_INFINITY,
    };
    cache.delete(key);
    cache.set(key, entry);
    forgetOldest(cache);
    answered.then(
      ({ ttlSeconds }) => {
        entry.freshUntilMs = options.now() + Math.min(ttlSeconds * 1_000, CACHE_MS_MAX);
      },
      () => {
        entry.freshUntilMs = options.now();
      },
    );
    return entry.answer;
  }

  return {
    resolve: (host, source) =>
      ask(`${source} ${host}`, async () => {
        const answer = await (source === "dns" ? askDns(dns, host) : askSystem(host));
        return requireUsable(host, answer);
      }),
  };
}

function requireUsable(host: string, answer: Answer): Answer {
  const { length } = answer.addresses;
  if (length === 0) throw new UnresolvedError(`${host} has no address`);
  if (length > ANSWERS_MAX) {
    throw new UnresolvedError(`${host} has ${length} addresses, more than ${ANSWERS_MAX}`);
  }
  return answer;
}

/** IPv4 first: more networks lack IPv6 than the reverse. One family's failure does not hide the other. */
async function askDns(dns: Resolver, host: string): Promise<Answer> {
  const families = await Promise.allSettled([
    withinMs(dns.resolve4(host, { ttl: true }), RESOLVE_MS_MAX),
    withinMs(dns.resolve6(host, { ttl: true }), RESOLVE_MS_MAX),
  ]);
  const records = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
  if (records.length === 0) {
    const reasons = families.map((family) =>
      family.status === "rejected" ? String(family.reason) : "no records",
    );
    throw new UnresolvedError(`${host} does not resolve: ${reasons.join("; ")}`);
  }
  return {
    addresses: records.map((record) => record.address),
    ttlSeconds: Math.min(...records.map((record) => record.ttl)),
  };
}

async function askSystem(host: string): Promise<Answer> {
  const found = lookup(host, { all: true, order: "ipv4first" });
  const records = await withinMs(found, RESOLVE_MS_MAX).catch((cause: unknown) => {
    throw new UnresolvedError(`${host} does not resolve: ${String(cause)}`, { cause });
  });
  return { addresses: records.map((record) => record.address), ttlSeconds: 1 };
}

function withinMs<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer in ${limitMs} ms`)), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function forgetOldest(cache: Map<string, CacheEntry>): void {
  if (cache.size <= CACHE_NAMES_MAX) return;
  const oldest = cache.keys().next();
  if (oldest.done !== true) cache.delete(oldest.value);
}
