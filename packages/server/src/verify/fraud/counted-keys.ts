import { type CounterBook, type Counts, DAY, RECENT } from "./counter-book.ts";

/** Under which keys a text to a phone is counted, in slices of what length, and for how long. */

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export interface CountedKey {
  readonly key: string;
  readonly sliceMs: number;
  /** The rules look back so far; the first slice counts whole. */
  readonly windowMs: number;
}

/** People take half a minute to type a code: what an account sent last is not judged yet. */
const RIPE_AFTER_MS = 30_000;
export const ACCOUNT_KEY: CountedKey = {
  key: "account",
  sliceMs: RIPE_AFTER_MS,
  windowMs: HOUR_MS,
};

/** The NPA, NXX and thousands digit: how numbers are given out to carriers. */
export function prefixOf(phone: string): string {
  return phone.slice(0, 9);
}

export function exchangeOf(phone: string): string {
  return phone.slice(0, 8);
}

export function prefixKey(prefix: string): CountedKey {
  return { key: `prefix ${prefix}`, sliceMs: FIVE_MINUTES_MS, windowMs: HOUR_MS };
}

/** The ten blocks of an exchange, in order. */
export function exchangeKeys(phone: string): CountedKey[] {
  const exchange = exchangeOf(phone);
  return Array.from({ length: 10 }, (_, thousand) => prefixKey(exchange + thousand));
}

/** The first of them and the last. */
export function exchangeEnds(phone: string): readonly [CountedKey, CountedKey] {
  const exchange = exchangeOf(phone);
  return [prefixKey(`${exchange}0`), prefixKey(`${exchange}9`)];
}

export function ipKey(ip: string): CountedKey {
  return { key: `ip ${ip}`, sliceMs: FIVE_MINUTES_MS, windowMs: HOUR_MS };
}

/** The ten numbers that a phone is one of, the ten before, and the ten after. */
export function neighbourKeys(phone: string): readonly [CountedKey, CountedKey, CountedKey] {
  const ten = Math.floor(Number(phone.slice(1)) / 10);
  return [tensKey(ten), tensKey(ten - 1), tensKey(ten + 1)];
}

function tensKey(ten: number): CountedKey {
  return { key: `tens +${ten}`, sliceMs: FIVE_MINUTES_MS, windowMs: 2 * FIVE_MINUTES_MS };
}

/** Every key that a text, or an approval, is counted under. */
export function keysWritten(phone: string, ip: string | null): CountedKey[] {
  const [own] = neighbourKeys(phone);
  const keys = [ACCOUNT_KEY, prefixKey(prefixOf(phone)), own];
  return ip === null ? keys : [...keys, ipKey(ip)];
}

export function sliceOf(key: CountedKey, atMs: number): number {
  return Math.floor(atMs / key.sliceMs) * key.sliceMs;
}

/** The first slice that the rules look at. */
export function sinceOf(key: CountedKey, nowMs: number): number {
  return sliceOf(key, nowMs - key.windowMs);
}

/** From this slice on, what an account sent is too young to be judged. */
export function recentSince(nowMs: number): number {
  return sliceOf(ACCOUNT_KEY, nowMs - RIPE_AFTER_MS);
}

export function count(
  book: CounterBook,
  keys: readonly CountedKey[],
  atMs: number,
  more: Partial<Counts>,
): void {
  for (const key of keys) book.add(key.key, sliceOf(key, atMs), more);
  for (const { key } of [RECENT, DAY]) book.fill(key, more);
}
