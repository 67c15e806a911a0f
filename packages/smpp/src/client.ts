import type { FieldsOf } from "./commands.ts";
import { type Dial, dialTcp, dialTls, type Host } from "./dial.ts";
import type { Outcome } from "./in-flight.ts";
import { Line, type LineChange, type LineState } from "./line.ts";
import { type Clock, systemClock, type Timer } from "./runtime.ts";
import type { BindMode, Delivery } from "./session.ts";
import { SESSION_TIMES, type SessionTimes } from "./session-states.ts";
import { type StatusKind, statusKind } from "./statuses.ts";
import { Throttle } from "./throttle.ts";
import type { Tlv } from "./tlvs.ts";

export interface ClientOptions {
  /** Round robin: each failure moves on to the next host. */
  readonly hosts: readonly Host[];
  /** Certificates are always verified. */
  readonly tls?: boolean;
  /** Certificate authorities in PEM; replaces Node's roots. */
  readonly ca?: string;
  readonly systemId: string;
  readonly password: string;
  readonly systemType?: string;
  /** Default 0x34. */
  readonly interfaceVersion?: number;
  /** `tx_rx` binds a transmitter and a receiver on separate connections. */
  readonly bind?: "transceiver" | "tx_rx";
  /** Maximum number of unanswered submit_sm. */
  readonly window?: number;
  /** submit_sm per second; null means no limit. */
  readonly ratePerSecond?: number | null;
  /** Submits that may wait for a window slot; 0 refuses at once. */
  readonly queueMax?: number;
  readonly queueWaitMs?: number;
  readonly deliveriesMax?: number;
  /** Classifies a carrier's own status codes. */
  readonly statusKinds?: ReadonlyMap<number, StatusKind>;
  /**
   * Resolves with the command_status to respond with: store first. A rejection responds
   * ESME_RSYSERR.
   */
  readonly onDelivery: (pdu: Delivery) => Promise<number>;
  /** The link went up or down (`state`), or a window slot became free (`slot`). */
  readonly onChange?: (change: LineChange) => void;
  readonly times?: Partial<SessionTimes>;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly dial?: Dial;
}

export interface ClientState {
  readonly state: LineState;
  readonly window: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** Current rate; below the configured one after the peer throttled us. */
  readonly ratePerSecond: number | null;
  readonly waitMs: number;
  readonly lastError: string | null;
  /** Milliseconds until the next reconnect; null when none is scheduled. */
  readonly nextTryInMs: number | null;
}

interface Waiting {
  readonly fields: Partial<FieldsOf<"submit_sm">>;
  readonly tlvs: readonly Tlv[];
  readonly sinceMs: number;
  readonly resolve: (outcome: Outcome) => void;
}

const WINDOW_DEFAULT = 10;
const QUEUE_MAX_DEFAULT = 1_000;
const QUEUE_WAIT_MS_DEFAULT = 30_000;
const DELIVERIES_MAX_DEFAULT = 100;
const INTERFACE_VERSION_DEFAULT = 0x34;

const MODES: Readonly<Record<"transceiver" | "tx_rx", readonly [sends: BindMode, ...BindMode[]]>> =
  {
    transceiver: ["transceiver"],
    tx_rx: ["transmitter", "receiver"],
  };

/** Reconnecting link to an SMSC with a window, a rate limit and a bounded queue. */
export class SmppClient {
  readonly #lines: readonly Line[];
  readonly #throttle: Throttle;
  readonly #clock: Clock;
  readonly #window: number;
  readonly #queueMax: number;
  readonly #queueWaitMs: number;
  readonly #statusKinds: ReadonlyMap<number, StatusKind> | undefined;
  readonly #onChange: (change: LineChange) => void;
  /** An array, not a ring: the queue is short, and removed from the front in batches. */
  #queue: Waiting[] = [];
  #timer: Timer | null = null;
  #isStopped: boolean = false;

  constructor(options: ClientOptions) {
    const clock = options.clock ?? systemClock;
    const random = options.random ?? Math.random;
    this.#clock = clock;
    this.#window = options.window ?? WINDOW_DEFAULT;
    this.#queueMax = options.queueMax ?? QUEUE_MAX_DEFAULT;
    this.#queueWaitMs = options.queueWaitMs ?? QUEUE_WAIT_MS_DEFAULT;
    this.#statusKinds = options.statusKinds;
    this.#onChange = options.onChange ?? (() => {});
    this.#throttle = new Throttle({ clock, random, ratePerSecond: options.ratePerSecond ?? null });
    const dial = options.dial ?? (options.tls ? dialTls(options.ca) : dialTcp);
    this.#lines = MODES[options.bind ?? "transceiver"].map(
      (mode) =>
        new Line({
          hosts: options.hosts,
          dial,
          clock,
          random,
          times: { ...SESSION_TIMES, ...options.times },
          bind: {
            mode,
            systemId: options.systemId,
            password: options.password,
            systemType: options.systemType ?? "",
            interfaceVersion: options.interfaceVersion ?? INTERFACE_VERSION_DEFAULT,
          },
          windowMax: this.#window,
          deliveriesMax: options.deliveriesMax ?? DELIVERIES_MAX_DEFAULT,
          onDelivery: options.onDelivery,
          onChange: (change) => this.#changed(change),
        }),
    );
  }

  start(): void {
    for (const line of this.#lines) line.start();
  }

  /** Refuses queued submits, waits for outstanding responses, unbinds and closes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const waiting = this.#queue;
    this.#queue = [];
    for (const { resolve } of waiting) {
      resolve({ kind: "not_sent", reason: "The link was stopped." });
    }
    await Promise.all(this.#lines.map((line) => line.stop()));
  }

  /** True when every connection is bound. */
  get isUp(): boolean {
    for (const line of this.#lines) if (!line.bound) return false;
    return true;
  }

  /** Unanswered submit_sm. */
  get inFlight(): number {
    return this.#sender.windowUsed;
  }

  /** Milliseconds until the rate limit or a throttling pause allows the next submit. */
  get waitMs(): number {
    return this.#throttle.waitMs();
  }

  state(): ClientState {
    const waits = this.#lines.flatMap((line) => line.nextTryInMs ?? []);
    const isAnyDown = this.#lines.some((line) => line.state === "down");
    return {
      state: this.isUp ? "up" : isAnyDown ? "down" : "connecting",
      window: this.#window,
      inFlight: this.inFlight,
      waiting: this.#queue.length,
      ratePerSecond: this.#throttle.ratePerSecond,
      waitMs: this.waitMs,
      lastError: this.#lines.find((line) => line.lastError !== null)?.lastError ?? null,
      nextTryInMs: waits.length === 0 ? null : Math.min(...waits),
    };
  }

  /**
   * Never rejects. Throws a FieldError before sending anything when a value does not fit its field.
   */
  submit(fields: Partial<FieldsOf<"submit_sm">>, tlvs: readonly Tlv[] = []): Promise<Outcome> {
    if (this.#queue.length === 0 && this.#canSend()) return this.#send(fields, tlvs);
    if (this.#isStopped || this.#queue.length >= this.#queueMax) {
      const reason = this.#isStopped ? "The link was stopped." : "The queue of the link is full.";
      return Promise.resolve({ kind: "not_sent", reason });
    }
    return new Promise((resolve) => {
      this.#queue.push({ fields, tlvs, sinceMs: this.#clock.now(), resolve });
      this.#plan();
    });
  }

  get #sender(): Line {
    return this.#lines[0] as Line;
  }

  #canSend(): boolean {
    if (this.#isStopped || this.#throttle.waitMs() > 0) return false;
    return this.#sender.bound?.canSubmit ?? false;
  }

  #send(fields: Partial<FieldsOf<"submit_sm">>, tlvs: readonly Tlv[]): Promise<Outcome> {
    const session = this.#sender.bound;
    if (!session) return Promise.resolve({ kind: "not_sent", reason: "The link is not bound." });
    const outcome = session.submit(fields, tlvs);
    this.#throttle.take();
    void outcome.then((result) => this.#adjustRate(result));
    return outcome;
  }

  #adjustRate(outcome: Outcome): void {
    if (outcome.kind !== "answered") return;
    const kind = statusKind(outcome.status, this.#statusKinds);
    if (kind === "slow_down") this.#throttle.slowDown();
    if (kind === "accepted") this.#throttle.accepted();
  }

  #changed(change: LineChange): void {
    this.#pump();
    this.#onChange(change);
  }

  #pump(): void {
    let sent = 0;
    while (sent < this.#queue.length && this.#canSend()) {
      const { fields, tlvs, resolve } = this.#queue[sent] as Waiting;
      sent += 1;
      void this.#sendLater(fields, tlvs).then(resolve);
    }
    if (sent > 0) this.#queue = this.#queue.slice(sent);
    this.#plan();
  }

  /** Reports a FieldError in the outcome: the caller of submit() has returned by now. */
  async #sendLater(fields: Waiting["fields"], tlvs: readonly Tlv[]): Promise<Outcome> {
    try {
      return await this.#send(fields, tlvs);
    } catch (error) {
      return { kind: "not_sent", reason: (error as Error).message };
    }
  }

  /** Schedules the next wake-up: when the rate allows a submit, or the oldest entry times out. */
  #plan(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const [first] = this.#queue;
    if (!first || this.#isStopped) return;
    const queueLeftMs = first.sinceMs + this.#queueWaitMs - this.#clock.now();
    const throttleMs = this.#throttle.waitMs();
    const wakeMs = throttleMs > 0 ? Math.min(throttleMs, queueLeftMs) : queueLeftMs;
    this.#timer = this.#clock.after(Math.max(1, wakeMs), () => {
      this.#giveUpOld();
      this.#pump();
    });
  }

  #giveUpOld(): void {
    const now = this.#clock.now();
    let old = 0;
    while (old < this.#queue.length) {
      const { sinceMs, resolve } = this.#queue[old] as Waiting;
      if (now - sinceMs < this.#queueWaitMs) break;
      old += 1;
      resolve({ kind: "not_sent", reason: "No window slot became free in time." });
    }
    if (old > 0) this.#queue = this.#queue.slice(old);
  }
}
