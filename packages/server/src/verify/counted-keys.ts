import type { CounterBook, Counts } from "./counter-book.ts";

/** Under which keys a text to a phone is counted, and in slices of what length. */

export const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export interface CountedKey {
  readonly key: string;
  readonly sliceMs: number;
}

export const ACCOUNT_KEY: CountedKey = { key: "account", sliceMs: MINUTE_MS };

/** The NPA, NXX and thousands digit: how numbers are given out to carriers. */
export function prefixOf(phone: string): string {
  return phone.slice(0, 9);
}

export function exchangeOf(phone: string): string {
  return phone.slice(0, 8);
}

export function prefixKey(phone: string): CountedKey {
  return { key: `prefix ${prefixOf(phone)}`, sliceMs: FIVE_MINUTES_MS };
}

export function exchangeKey(phone: string): CountedKey {
  return { key: `exchange ${exchangeOf(phone)}`, sliceMs: FIVE_MINUTES_MS };
}

export function ipKey(ip: string): CountedKey {
  return { key: `ip ${ip}`, sliceMs: FIVE_MINUTES_MS };
}

/** The ten numbers that a phone is one of, the ten before, and the ten after. */
export function neighbourKeys(phone: string): readonly [CountedKey, CountedKey, CountedKey] {
  const ten = Math.floor(Number(phone.slice(1)) / 10);
  return [tensKey(ten), tensKey(ten - 1), tensKey(ten + 1)];
}

function tensKey(ten: number): CountedKey {
  return { key: `tens +${ten}`, sliceMs: FIVE_MINUTES_MS };
}

/** Every key that the rules read for a text. */
export function keysRead(phone: string, ip: string | null): CountedKey[] {
  return [
    ACCOUNT_KEY,
    prefixKey(phone),
    exchangeKey(phone),
    ...neighbourKeys(phone),
    ...(ip === null ? [] : [ipKey(ip)]),
  ];
}

/** Every key that a text, or an approval, is counted under. */
export function keysWritten(phone: string, ip: string | null): CountedKey[] {
  const [own] = neighbourKeys(phone);
  return [
    ACCOUNT_KEY,
    prefixKey(phone),
    exchangeKey(phone),
    own,
    ...(ip === null ? [] : [ipKey(ip)]),
  ];
}

export function sliceOf(key: CountedKey, atMs: number): number {
  return Math.floor(atMs / key.sliceMs) * key.sliceMs;
}

export function count(
  book: CounterBook,
  keys: readonly CountedKey[],
  atMs: number,
  more: Partial<Counts>,
): void {
  for (const key of keys) book.add(key.key, sliceOf(key, atMs), more);
}
