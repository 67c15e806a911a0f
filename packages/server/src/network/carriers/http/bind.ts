import { Throttle } from "@longwave/smpp";
import type { Outgoing } from "../../platform/outgoing/index.ts";
import type { BindLease, BindState } from "../binds/lease.ts";
import type { BindDeps, OwnedBind } from "../binds/leased-binds.ts";

export interface HttpBindOptions {
  readonly lease: BindLease;
  readonly outgoing: Outgoing;
  readonly url: string;
  readonly window: number;
  /** Of this bind alone. */
  readonly ratePerSecond: number | null;
  readonly onChange: () => void;
}

/** After so long without an answer, whether anybody is there is asked. */
const SILENCE_MS_MAX = 30_000;
const CONNECT_MS_MAX = 10_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;
/** A wrong key or address is not cured by asking often. */
const FAULT_PAUSE_MS = 30_000;
const BUSY_MS_MAX = 60_000;
const ANSWERS_WAIT_MS_MAX = 10_000;
const WAIT_STEP_MS = 20;

/**
 * The right to send over HTTP, at a share of the carrier's rate. There is no session to lose, so the
 * link counts as up while a connection can be had and the carrier knows us.
 */
export class HttpBind implements OwnedBind {
  readonly lease: BindLease;
  readonly window: number;
  held = 0;
  begun = 0;
  readonly #deps: BindDeps;
  readonly #options: HttpBindOptions;
  readonly #throttle: Throttle;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #state: BindState["state"] = "connecting";
  #lastError: string | null = null;
  #inFlight = 0;
  #heardAtMs = 0;
  #busyUntilMs = 0;
  #askAgainMs = 0;
  /** When the next look begins; null while one is taken. */
  #lookAtMs: number | null = null;
  /** Cuts the wait for the next look short. */
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
    this.#watching = this.#watch();
  }

  get free(): number {
    return this.isUp ? Math.max(0, this.window - this.held) : 0;
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
        this.#state === "up" || this.#lookAtMs === null
          ? null
          : Math.max(0, this.#lookAtMs - this.#deps.clock.monotonic()),
    };
  }

  /** Milliseconds until the next text may go; null while the link is down. */
  waitMs(): number | null {
    if (!this.isUp) return null;
    return Math.max(this.#throttle.waitMs(), this.#busyUntilMs - this.#deps.clock.monotonic(), 0);
  }

  /** One text goes; what `work` resolves with is its answer. */
  async send<T>(work: () => Promise<T>): Promise<T> {
    this.#throttle.take();
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }

  answered(): void {
    this.#heardAtMs = this.#deps.clock.monotonic();
    this.#throttle.accepted();
  }

  /** The carrier says that it is too much, and perhaps for how long. */
  busy(forMs: number): void {
    const now = this.#deps.clock.monotonic();
    this.#heardAtMs = now;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, now + Math.min(forMs, BUSY_MS_MAX));
    this.#throttle.slowDown();
  }

  /** There was no connection to be had. */
  unreachable(problem: string): void {
    this.#askAgainMs = RETRY_MS_MIN;
    this.#be("down", problem);
  }

  /** The carrier does not know us, or not at this address. */
  faulty(problem: string): void {
    this.#askAgainMs = FAULT_PAUSE_MS;
    this.#be("down", problem);
  }

  /** Waits for the answers of what is out, as long as a stop can. */
  async stop(): Promise<void> {
    const { clock } = this.#deps;
    const endMs = clock.monotonic() + ANSWERS_WAIT_MS_MAX;
    this.#stopping.abort();
    await this.#watching;
    while (this.#inFlight > 0 && clock.monotonic() < endMs) await clock.sleep(WAIT_STEP_MS);
    await this.lease.release();
  }

  #be(state: BindState["state"], problem: string | null): void {
    const isNew = this.#state !== state;
    this.#state = state;
    if (problem !== null) this.#lastError = problem;
    if (!isNew) return;
    this.#sleep.abort();
    this.#options.onChange();
  }

  async #watch(): Promise<void> {
    const { clock } = this.#deps;
    const stopping = this.#stopping.signal;
    for (;;) {
      if (this.#isLookDue()) await this.#look();
      if (stopping.aborted) return;
      this.#sleep = new AbortController();
      const waitMs = this.#state === "up" ? SILENCE_MS_MAX : this.#askAgainMs;
      this.#lookAtMs = clock.monotonic() + waitMs;
      await clock.sleep(waitMs, AbortSignal.any([stopping, this.#sleep.signal]));
      if (stopping.aborted) return;
      // Whoever cut the sleep short has just learnt that the link is down.
      if (this.#sleep.signal.aborted && this.#state !== "up") {
        this.#lookAtMs = clock.monotonic() + this.#askAgainMs;
        await clock.sleep(this.#askAgainMs, stopping);
      }
      this.#lookAtMs = null;
    }
  }

  #isLookDue(): boolean {
    const silentMs = this.#deps.clock.monotonic() - this.#heardAtMs;
    return this.#state !== "up" || silentMs >= SILENCE_MS_MAX;
  }

  async #look(): Promise<void> {
    const { outgoing, url } = this.#options;
    const signal = this.#stopping.signal;
    const problem = await outgoing
      .reach({ url, deadlineMs: CONNECT_MS_MAX, signal })
      .catch((error: unknown) => String(error));
    if (signal.aborted) return;
    if (problem === null) {
      this.#heardAtMs = this.#deps.clock.monotonic();
      this.#be("up", null);
      return;
    }
    this.#askAgainMs = Math.min(RETRY_MS_MAX, Math.max(RETRY_MS_MIN, this.#askAgainMs * 2));
    this.#be("down", problem);
  }
}
