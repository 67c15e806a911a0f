import { type Counts, LAST_DAY, RECENT_SENDS, type VelocityCounters } from "./velocity-counters.ts";

/** Counter keys of a code, with slice length and window of each. */

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export interface CounterKey {
  readonly key: string;
  readonly sliceMs: number;
  /** How far back rules sum. The oldest slice counts in full, even where it only overlaps the window. */
  readonly windowMs: number;
}

/** People take half a minute to type a code, so conversion leaves out the newest codes. */
const ANSWER_GRACE_MS = 30_000;
export const ACCOUNT_KEY: CounterKey = {
  key: "account",
  sliceMs: ANSWER_GRACE_MS,
  windowMs: HOUR_MS,
};

/** NPA, NXX and thousands digit: the block of 1,000 numbers that is assigned to one carrier. */
export function prefixOf(phone: string): string {
  return phone.slice(0, 9);
}

export function exchangeOf(phone: string): string {
  return phone.slice(0, 8);
}

export function prefixKey(prefix: string): CounterKey {
  return { key: `prefix ${prefix}`, sliceMs: FIVE_MINUTES_MS, windowMs: HOUR_MS };
}

/** Keys of the ten blocks of an exchange, in order. */
export function exchangeKeys(phone: string): CounterKey[] {
  const exchange = exchangeOf(phone);
  return Array.from({ length: 10 }, (_, thousand) => prefixKey(exchange + thousand));
}

/** First and last block key of an exchange. */
export function exchangeEnds(phone: string): readonly [CounterKey, CounterKey] {
  const exchange = exchangeOf(phone);
  return [prefixKey(`${exchange}0`), prefixKey(`${exchange}9`)];
}

export function ipKey(ip: string): CounterKey {
  return { key: `ip ${ip}`, sliceMs: FIVE_MINUTES_MS, windowMs: HOUR_MS };
}

/** Keys of the ten numbers that contain a phone, the ten before, and the ten after. */
export function neighbourKeys(phone: string): readonly [CounterKey, CounterKey, CounterKey] {
  const ten = Math.floor(Number(phone.slice(1)) / 10);
  return [tensKey(ten), tensKey(ten - 1), tensKey(ten + 1)];
}

function tensKey(ten: number): CounterKey {
  return { key: `tens +${ten}`, sliceMs: FIVE_MINUTES_MS, windowMs: 2 * FIVE_MINUTES_MS };
}

/** Every counter key that a send or an approval adds to. */
export function counterKeysOf(phone: string, ip: string | null): CounterKey[] {
  const [own] = neighbourKeys(phone);
  const keys = [ACCOUNT_KEY, prefixKey(prefixOf(phone)), own];
  return ip === null ? keys : [...keys, ipKey(ip)];
}

export function sliceStart(key: CounterKey, atMs: number): number {
  return Math.floor(atMs / key.sliceMs) * key.sliceMs;
}

/** Start of the oldest slice in the window. */
export function windowStart(key: CounterKey, nowMs: number): number {
  return sliceStart(key, nowMs - key.windowMs);
}

/** Start of the first slice whose codes are too recent for the conversion rule. */
export function recentStart(nowMs: number): number {
  return sliceStart(ACCOUNT_KEY, nowMs - ANSWER_GRACE_MS);
}

export function addToCounters(
  counters: VelocityCounters,
  keys: readonly CounterKey[],
  atMs: number,
  counts: Partial<Counts>,
): void {
  for (const key of keys) counters.add(key.key, sliceStart(key, atMs), counts);
  for (const { key } of [RECENT_SENDS, LAST_DAY]) counters.fill(key, counts);
}
