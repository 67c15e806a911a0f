/** Messages or segments a second for each sender number; `*` stands for numbers that are not named. */
export type NumberRates = ReadonlyMap<string, number>;

const EVERY_NUMBER = "*";
/** Numbers remembered at the same time. Eviction begins with numbers that may send at once. */
const NUMBERS_MAX = 10_000;

/** Rate of one number; null without a limit. */
export function rateOfNumber(rates: NumberRates | null, number: string): number | null {
  return rates?.get(number) ?? rates?.get(EVERY_NUMBER) ?? null;
}

/** Paces each sender number on one bind, which has its share of the numbers' rates. */
export class NumberPace {
  readonly #rates: NumberRates | null;
  readonly #binds: number;
  /** Time from which each number may send again. */
  readonly #freeAtMs = new Map<string, number>();

  constructor(rates: NumberRates | null, binds: number) {
    this.#rates = rates;
    this.#binds = binds;
  }

  /** Milliseconds until the number may send; 0 is now. */
  waitMs(number: string, nowMs: number): number {
    return Math.max(0, (this.#freeAtMs.get(number) ?? 0) - nowMs);
  }

  /** Counts a message of so many units, after which the number waits. */
  take(number: string, units: number, nowMs: number): void {
    const rate = rateOfNumber(this.#rates, number);
    if (rate === null) return;
    this.#freeAtMs.set(number, nowMs + (units * this.#binds * 1_000) / rate);
    if (this.#freeAtMs.size > NUMBERS_MAX) this.#forgetFree(nowMs);
  }

  #forgetFree(nowMs: number): void {
    for (const [number, freeAtMs] of this.#freeAtMs) {
      if (freeAtMs <= nowMs) this.#freeAtMs.delete(number);
    }
  }
}
