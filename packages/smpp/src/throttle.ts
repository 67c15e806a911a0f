import type { Clock } from "./runtime.ts";

const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;
/** The rate rises by a step after this long without throttling. */
const RISE_EVERY_MS = 10_000;
const RISE_FACTOR = 1.25;
const RATE_MIN = 1;
/** Carriers count per second: burst at most a tenth of one second's messages. */
const BURST_SECONDS = 0.1;

export interface ThrottleOptions {
  readonly clock: Clock;
  /** 0 to 1; jitter that spreads the pauses of many links. */
  readonly random: () => number;
  /** Messages per second; null means no limit of our own. */
  readonly ratePerSecond: number | null;
}

/**
 * Token bucket at the agreed rate, with a pause when the peer throttles. Each throttling response
 * after a pause doubles the pause and halves the rate; both recover step by step.
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

  /** Current messages per second; null without a limit. */
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

  /** Consumes a token. */
  take(): void {
    if (this.#rate !== null) this.#tokens -= 1;
  }

  /** The peer throttled us. Responses to requests sent before the pause count once. */
  slowDown(): void {
    const { clock, random } = this.#options;
    const now = clock.now();
    if (now < this.#pausedUntilMs) return;
    this.#pauseMs = Math.min(PAUSE_MS_MAX, this.#pauseMs === 0 ? PAUSE_MS_MIN : this.#pauseMs * 2);
    this.#pausedUntilMs = now + this.#pauseMs * (0.8 + 0.4 * random());
    this.#calmSinceMs = this.#pausedUntilMs;
    if (this.#rate !== null) this.#rate = Math.max(RATE_MIN, this.#rate / 2);
  }

  /** The peer accepted a message. */
  accepted(): void {
    const { clock, ratePerSecond } = this.#options;
    if (this.#pauseMs === 0) return;
    const now = clock.now();
    if (now - this.#calmSinceMs < RISE_EVERY_MS) return;
    this.#calmSinceMs = now;
    this.#pauseMs = this.#pauseMs <= PAUSE_MS_MIN ? 0 : this.#pauseMs / 2;
    if (ratePerSecond === null || this.#rate === null) return;
    this.#rate = Math.min(ratePerSecond, this.#rate * RISE_FACTOR);
    // Throttling is forgotten only at full speed.
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
