import type { Clock } from "./surroundings.ts";

const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;
/** Every so long without a complaint, the rate rises by a step. */
const RISE_EVERY_MS = 10_000;
const RISE_FACTOR = 1.25;
const RATE_MIN = 1;
/** A carrier counts by the second: no more than a tenth of one second's messages at once. */
const BURST_SECONDS = 0.1;

export interface ThrottleOptions {
  readonly clock: Clock;
  /** From 0 to 1; spreads the pauses of many links. */
  readonly random: () => number;
  /** Messages a second, or null without a limit of our own. */
  readonly ratePerSecond: number | null;
}

/**
 * When the next message may go: a token bucket at the agreed rate, and a pause of everything when
 * the peer says that it is too much. The pause doubles and the rate halves with each such answer
 * after a pause; both recover step by step.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  #rate: number | null;
  #tokens: number;
  #filledAtMs: number;
  #pausedUntilMs = 0;
  #pauseMs = 0;
  #calmSinceMs = 0;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#rate = options.ratePerSecond;
    this.#tokens = this.#burst();
    this.#filledAtMs = options.clock.now();
  }

  /** Messages a second as of now; null without a limit. */
  get ratePerSecond(): number | null {
    return this.#rate;
  }

  /** Milliseconds until the next message may go; 0 for now. */
  waitMs(): number {
    const now = this.#options.clock.now();
    if (now < this.#pausedUntilMs) return this.#pausedUntilMs - now;
    if (this.#rate === null) return 0;
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#rate) * 1_000);
  }

  /** One message goes. */
  take(): void {
    if (this.#rate !== null) this.#tokens -= 1;
  }

  /** The peer said that it is too much. The answers to what was already out count once. */
  slowDown(): void {
    const { clock, random } = this.#options;
    const now = clock.now();
    if (now < this.#pausedUntilMs) return;
    this.#pauseMs = Math.min(PAUSE_MS_MAX, this.#pauseMs === 0 ? PAUSE_MS_MIN : this.#pauseMs * 2);
    this.#pausedUntilMs = now + this.#pauseMs * (0.8 + 0.4 * random());
    this.#calmSinceMs = this.#pausedUntilMs;
    if (this.#rate !== null) this.#rate = Math.max(RATE_MIN, this.#rate / 2);
  }

  /** The peer took a message. */
  accepted(): void {
    const { clock, ratePerSecond } = this.#options;
    if (this.#pauseMs === 0) return;
    const now = clock.now();
    if (now - this.#calmSinceMs < RISE_EVERY_MS) return;
    this.#calmSinceMs = now;
    this.#pauseMs = this.#pauseMs <= PAUSE_MS_MIN ? 0 : this.#pauseMs / 2;
    if (ratePerSecond === null || this.#rate === null) return;
    this.#rate = Math.min(ratePerSecond, this.#rate * RISE_FACTOR);
    // Full speed is not reached before the last step: until then complaints are remembered.
    if (this.#pauseMs === 0 && this.#rate < ratePerSecond) this.#pauseMs = PAUSE_MS_MIN;
  }

  #burst(): number {
    return Math.max(1, (this.#rate ?? 0) * BURST_SECONDS);
  }

  #fill(now: number): void {
    const earned = ((now - this.#filledAtMs) / 1_000) * (this.#rate ?? 0);
    this.#tokens = Math.min(this.#burst(), this.#tokens + earned);
    this.#filledAtMs = now;
  }
}
