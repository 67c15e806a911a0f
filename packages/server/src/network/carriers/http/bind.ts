import { Throttle } from "@longwave/smpp";
import type { Outgoing } from "../../../core/platform/outgoing/index.ts";
import type { BindLease, BindState } from "../binds/lease.ts";
import type { BindDeps, OwnedBind } from "../binds/leased-binds.ts";

export interface HttpBindOptions {
  readonly lease: BindLease;
  readonly outgoing: Outgoing;
  readonly url: string;
  readonly window: number;
  /** Rate of this bind alone. */
  readonly ratePerSecond: number | null;
  readonly onChange: () => void;
}

/** Silence after which the bind probes the connection. */
const SILENCE_MS_MAX = 30_000;
const CONNECT_MS_MAX = 10_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;
/** Delay after a wrong key or address, which retries do not cure. */
const FAULT_PAUSE_MS = 30_000;
const BUSY_MS_MAX = 60_000;
const ANSWERS_WAIT_MS_MAX = 10_000;
const WAIT_STEP_MS = 20;

/**
 * Lease to send over HTTP, at a share of the carrier's rate. HTTP has no session, so the bind is up
 * while a connection can be opened and the carrier accepts our credentials.
 */
export class HttpBind implements OwnedBind {
  readonly lease: BindLease;
  readonly window: number;
  reserved = 0;
  submitting = 0;
  readonly #deps: BindDeps;
  readonly #options: HttpBindOptions;
  readonly #throttle: Throttle;
  readonly #stopping = new AbortController();
  readonly #probing: Promise<void>;
  #state: BindState["state"] = "connecting";
  #lastError: string | null = null;
  #inFlight = 0;
  #lastAnswerAtMs = 0;
  #busyUntilMs = 0;
  #retryDelayMs = 0;
  /** Time of the next probe; null during a probe. */
  #nextProbeAtMs: number | null = null;
  /** Aborted to cut the wait for the next probe short. */
  #sleep = new AbortController();

  constructor(deps: BindDeps, options: HttpBindOptions) {
    this.lease = options.lease;
    this.window = options.window;
    this.#deps = deps;
    this.#options = options;
    this.#throttle = new Throttle({
      clock: {
        now: () => deps.clock.monotonic(),
        after: (ms, call) => ({ cancel: deps.clock.after(ms, call) }),
      },
      random: () => deps.random.below(1_000) / 1_000,
      ratePerSecond: options.ratePerSecond,
    });
    this.#probing = this.#keepProbing();
  }

  get free(): number {
    return this.isUp ? Math.max(0, this.window - this.reserved) : 0;
  }

  get isUp(): boolean {
    return this.#state === "up" && this.lease.isOurs;
  }

  state(): BindState {
    return {
      state: this.#state,
      inFlight: this.#inFlight,
      lastError: this.#lastError,
      nextTryInMs:
        this.#state === "up" || this.#nextProbeAtMs === null
          ? null
          : Math.max(0, this.#nextProbeAtMs - this.#deps.clock.monotonic()),
    };
  }

  /** Milliseconds until the next message may leave; null while the link is down. */
  waitMs(): number | null {
    if (!this.isUp) return null;
    return Math.max(this.#throttle.waitMs(), this.#busyUntilMs - this.#deps.clock.monotonic(), 0);
  }

  /** Runs one request, which uses up `count` of the rate, and counts it as in flight. */
  async send<T>(count: number, work: () => Promise<T>): Promise<T> {
    for (let taken = 0; taken < count; taken += 1) this.#throttle.take();
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }

  answered(): void {
    this.#lastAnswerAtMs = this.#deps.clock.monotonic();
    this.#throttle.accepted();
  }

  /** The carrier is overloaded, for `forMs` if it said so. */
  busy(forMs: number): void {
    const now = this.#deps.clock.monotonic();
    this.#lastAnswerAtMs = now;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, now + Math.min(forMs, BUSY_MS_MAX));
    this.#throttle.slowDown();
  }

  /** No connection could be opened. */
  unreachable(problem: string): void {
    this.#retryDelayMs = RETRY_MS_MIN;
    this.#setState("down", problem);
  }

  /** The carrier rejects our credentials or address. */
  misconfigured(problem: string): void {
    this.#retryDelayMs = FAULT_PAUSE_MS;
    this.#setState("down", problem);
  }

  /** Waits for outstanding answers until the stop's deadline. */
  async stop(): Promise<void> {
    const { clock } = this.#deps;
    const endMs = clock.monotonic() + ANSWERS_WAIT_MS_MAX;
    this.#stopping.abort();
    await this.#probing;
    while (this.#inFlight > 0 && clock.monotonic() < endMs) await clock.sleep(WAIT_STEP_MS);
    await this.lease.release();
  }

  #setState(state: BindState["state"], problem: string | null): void {
    const isNew = this.#state !== state;
    this.#state = state;
    if (problem !== null) this.#lastError = problem;
    if (!isNew) return;
    this.#sleep.abort();
    this.#options.onChange();
  }

  async #keepProbing(): Promise<void> {
    const { clock } = this.#deps;
    const stopping = this.#stopping.signal;
    for (;;) {
      if (this.#isProbeDue()) await this.#probe();
      if (stopping.aborted) return;
      this.#sleep = new AbortController();
      const waitMs = this.#state === "up" ? SILENCE_MS_MAX : this.#retryDelayMs;
      this.#nextProbeAtMs = clock.monotonic() + waitMs;
      await clock.sleep(waitMs, AbortSignal.any([stopping, this.#sleep.signal]));
      if (stopping.aborted) return;
      // A failed request has just shown that the link is down, so wait the full retry delay.
      if (this.#sleep.signal.aborted && this.#state !== "up") {
        this.#nextProbeAtMs = clock.monotonic() + this.#retryDelayMs;
        await clock.sleep(this.#retryDelayMs, stopping);
      }
      this.#nextProbeAtMs = null;
    }
  }

  #isProbeDue(): boolean {
    const silentMs = this.#deps.clock.monotonic() - this.#lastAnswerAtMs;
    return this.#state !== "up" || silentMs >= SILENCE_MS_MAX;
  }

  async #probe(): Promise<void> {
    const { outgoing, url } = this.#options;
    const signal = this.#stopping.signal;
    const problem = await outgoing
      .reach({ url, deadlineMs: CONNECT_MS_MAX, signal })
      .catch((error: unknown) => String(error));
    if (signal.aborted) return;
    if (problem === null) {
      this.#lastAnswerAtMs = this.#deps.clock.monotonic();
      this.#setState("up", null);
      return;
    }
    this.#retryDelayMs = Math.min(RETRY_MS_MAX, Math.max(RETRY_MS_MIN, this.#retryDelayMs * 2));
    this.#setState("down", problem);
  }
}
