import type { Dial, Host } from "./dial.ts";
import type { Clock, Timer } from "./runtime.ts";
import { type BindOptions, type Delivery, Session } from "./session.ts";
import type { SessionTimes } from "./session-states.ts";
import { statusKind } from "./statuses.ts";

/**
 * Delays after failed connections; the last repeats. Short, so that a restarted SMSC is bound soon.
 */
const RECONNECT_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000];
/** Delays after refused binds, longer: repeating a wrong password does not make it right. */
const REBIND_DELAYS_MS = [2_000, 5_000, 15_000, 30_000, 60_000];
/** A link that stayed up this long restarts with the shortest delay. */
const STABLE_MS = 30_000;

export interface LineOptions {
  readonly hosts: readonly Host[];
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: () => number;
  readonly times: SessionTimes;
  readonly bind: BindOptions;
  readonly windowMax: number;
  readonly deliveriesMax: number;
  readonly onDelivery: (pdu: Delivery) => Promise<number>;
  readonly onChange: (change: LineChange) => void;
}

export type LineState = "up" | "connecting" | "down";
export type LineChange = "state" | "slot";

/** Reconnects a session, on the next host each time, until stopped. */
export class Line {
  readonly #options: LineOptions;
  #session: Session | null = null;
  #timer: Timer | null = null;
  /** Time of the next attempt; null when none is scheduled. */
  #nextTryAtMs: number | null = null;
  #failures = 0;
  #refusals = 0;
  #hostIndex = 0;
  #boundAtMs: number | null = null;
  #lastError: string | null = null;
  #isStopped: boolean = true;
  #onClosed: (() => void) | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** The bound session, or null. */
  get bound(): Session | null {
    return this.#session?.state === "bound" ? this.#session : null;
  }

  get state(): LineState {
    if (this.bound) return "up";
    return this.#session && this.#session.state !== "closed" ? "connecting" : "down";
  }

  get windowUsed(): number {
    return this.#session?.windowUsed ?? 0;
  }

  get lastError(): string | null {
    return this.#lastError;
  }

  /** Milliseconds until the next attempt; null while up or connecting. */
  get nextTryInMs(): number | null {
    if (this.#nextTryAtMs === null) return null;
    return Math.max(0, this.#nextTryAtMs - this.#options.clock.now());
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#connect();
  }

  /** Waits for outstanding answers, unbinds and closes. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#nextTryAtMs = null;
    this.#timer?.cancel();
    const session = this.#session;
    if (!session || session.state === "closed") return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      session.leave("The link was stopped.");
    });
  }

  #connect(): void {
    this.#nextTryAtMs = null;
    const { hosts, dial, clock, times, bind, windowMax, deliveriesMax, onDelivery } = this.#options;
    const host = hosts[this.#hostIndex % hosts.length] as Host;
    const session: Session = new Session({
      ...dial(host),
      clock,
      times,
      bind,
      windowMax,
      deliveriesMax,
      onDelivery,
      onState: (state, reason) => {
        if (state === "bound") this.#bound();
        if (state === "closed") this.#closed(session, `${host.host}:${host.port}: ${reason}`);
        this.#options.onChange("state");
      },
      onSlotFree: () => this.#options.onChange("slot"),
    });
    this.#session = session;
    this.#options.onChange("state");
  }

  #bound(): void {
    this.#boundAtMs = this.#options.clock.now();
    this.#refusals = 0;
  }

  #closed(session: Session, reason: string): void {
    this.#onClosed?.();
    if (this.#isStopped) return;
    this.#lastError = reason;
    const { clock, random } = this.#options;
    if (this.#boundAtMs !== null && clock.now() - this.#boundAtMs > STABLE_MS) this.#failures = 0;
    this.#boundAtMs = null;
    this.#hostIndex += 1;
    const isRefused = session.bindStatus !== null && isCredentialFault(session.bindStatus);
    const delays = isRefused ? REBIND_DELAYS_MS : RECONNECT_DELAYS_MS;
    const count = isRefused ? this.#refusals++ : this.#failures++;
    const delayMs = delays[Math.min(count, delays.length - 1)] as number;
    const waitMs = delayMs * (0.8 + 0.4 * random());
    this.#nextTryAtMs = clock.now() + waitMs;
    this.#timer = clock.after(waitMs, () => this.#connect());
  }
}

function isCredentialFault(bindStatus: number): boolean {
  return bindStatus !== 0 && statusKind(bindStatus) !== "temporary";
}
