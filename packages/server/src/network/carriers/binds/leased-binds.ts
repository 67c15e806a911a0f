import type { Base } from "../../../core/base.ts";
import type { Wakes } from "../../../core/queue/lane.ts";
import type { LinkState, OutboundMessage } from "../carrier.ts";
import { BindLease, type BindState } from "./lease.ts";
import { type BindRow, forgetBinds, listBinds, takeBind } from "./sql.ts";
import { BindWindowSlots, type Windowed } from "./window-slots.ts";

export type BindDeps = Pick<
  Base,
  "config" | "db" | "clock" | "log" | "ids" | "random" | "metrics"
> & {
  readonly wakes: Wakes;
};

/** A link of this process, backed by the lease of a bind. */
export interface OwnedBind extends Windowed {
  readonly lease: BindLease;
  /** Whether the bind accepts submits: the link is up and the lease is valid. */
  readonly isUp: boolean;
  state(): BindState;
  /** Waits for outstanding answers, closes the link and releases the lease. */
  stop(): Promise<void>;
}

/** How a process takes part in bind leasing. */
export interface BindOwnership {
  /** Whether this process takes leases. False for processes that run no outbound lane. */
  readonly mayOwn: boolean;
  /** Host and process id, as shown to operators. */
  readonly owner: string;
  /** Whether another carrier can take a message between these numbers now. */
  readonly hasAlternative: (from: string, to: string) => boolean;
}

export interface LeasedBindsOptions<B extends OwnedBind> extends BindOwnership {
  readonly carrier: string;
  /** Number of binds across the installation. */
  readonly binds: number;
  readonly ratePerSecond: number | null;
  open(lease: BindLease): B;
  /** Called before taking over a bind whose previous owner may have crashed. */
  prepare(): Promise<void>;
  /** Called once per renewal, about every second. */
  refresh(): Promise<void>;
}

const TICK_MS = 500;
/** Ticks between lease renewals. A link that goes up or down renews sooner. */
const TICKS_PER_RENEWAL = 2;
/** Ticks for which a process that owns a bind leaves a free bind to processes without one. */
const TICKS_LEFT_TO_OTHERS = 2;
/** Longest wait of a start for the link, so that the first messages find it up. */
const START_WAIT_MS = 2_000;
/** Longest wait of a stop for messages that reserved a slot and are not submitted yet. */
const SLOTS_WAIT_MS_MAX = 5_000;
const WAIT_STEP_MS = 20;

/** Binds of a carrier, distributed over the processes by leases. */
export class LeasedBinds<B extends OwnedBind> {
  readonly slots: BindWindowSlots<B>;
  readonly #deps: BindDeps;
  readonly #options: LeasedBindsOptions<B>;
  readonly #by: string;
  readonly #stopping = new AbortController();
  #binds: B[] = [];
  #others: readonly BindRow[] = [];
  #ticking: Promise<void> = Promise.resolve();
  #ticks = 0;
  #ticksFree = 0;
  #isDraining: boolean = false;
  #throttledUntilMs = 0;
  /** States of this process's binds at the last renewal. */
  #published = "";
  /** Aborted to end the wait between ticks when a bind changed state. */
  #sleep = new AbortController();

  constructor(deps: BindDeps, options: LeasedBindsOptions<B>) {
    this.#deps = deps;
    this.#options = options;
    this.#by = deps.ids.make();
    this.slots = new BindWindowSlots(deps, () => this.#binds);
  }

  /** Aborted when no new submit may start. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get own(): readonly B[] {
    return this.#binds;
  }

  /** The carrier asked for a pause of so long. */
  throttled(forMs: number): void {
    const untilMs = this.#deps.clock.monotonic() + forMs;
    this.#throttledUntilMs = Math.max(this.#throttledUntilMs, untilMs);
  }

  get isThrottled(): boolean {
    return this.#deps.clock.monotonic() < this.#throttledUntilMs;
  }

  /** Whether a message that has not left should go to another carrier, while this one is throttled. */
  shouldYield({ from, to }: Pick<OutboundMessage, "from" | "to">): boolean {
    return this.isThrottled && this.#options.hasAlternative(from, to);
  }

  /** Call when a link goes up or down. */
  changed(): void {
    this.slots.offer();
    if (this.#published !== this.#summary()) this.#sleep.abort();
  }

  state(): LinkState {
    const own = this.#binds.map((bind) => bind.state());
    const all = [...own, ...this.#others].map(({ state }) => state);
    const isHere = own.some(({ state }) => state === "up");
    return {
      state: all.includes("up") ? "up" : all.includes("connecting") ? "connecting" : "down",
      isHere,
      windowFree: this.slots.freeCount,
      ratePerSecond: this.#options.ratePerSecond,
      isThrottled: this.isThrottled,
      lastError: own.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    };
  }

  /** States of this process's binds, by bind number. */
  bindStates(): ReadonlyMap<number, BindState> {
    return new Map(this.#binds.map((bind) => [bind.lease.bind, bind.state()]));
  }

  async start(): Promise<void> {
    await this.#tick();
    const endMs = this.#deps.clock.monotonic() + START_WAIT_MS;
    while (this.#binds.length > 0 && this.state().state !== "up") {
      if (this.#deps.clock.monotonic() > endMs) break;
      await this.#deps.clock.sleep(WAIT_STEP_MS);
    }
    this.#ticking = this.#keepTicking();
  }

  /** Stops reserving slots, lets reserved messages leave, then closes the links. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.slots.close();
    const { clock } = this.#deps;
    const endMs = clock.monotonic() + SLOTS_WAIT_MS_MAX;
    while (this.slots.hasUnused && clock.monotonic() < endMs) {
      await clock.sleep(WAIT_STEP_MS);
    }
    this.#stopping.abort();
    await this.#ticking;
    await Promise.all(this.#binds.map((bind) => bind.stop()));
    this.#binds = [];
  }

  async #keepTicking(): Promise<void> {
    const { clock, log } = this.#deps;
    const { carrier } = this.#options;
    for (;;) {
      this.#sleep = new AbortController();
      await clock.sleep(TICK_MS, AbortSignal.any([this.#stopping.signal, this.#sleep.signal]));
      if (this.#stopping.signal.aborted) return;
      await this.#tick().catch((error: unknown) => {
        log.warn({ err: error, carrier }, "carriers: bind lease tick failed");
      });
    }
  }

  /** Renews owned leases, drops lost ones and takes at most one free bind. */
  async #tick(): Promise<void> {
    const isRenewal = this.#ticks % TICKS_PER_RENEWAL === 0;
    this.#ticks += 1;
    if (isRenewal || this.#published !== this.#summary()) await this.#renew();
    if (isRenewal) await this.#options.refresh();
    const { carrier, binds, mayOwn } = this.#options;
    const rows = await this.#deps.db.query<BindRow>(listBinds, [[carrier]]);
    this.#others = rows.filter((row) => row.leased_by !== null && row.leased_by !== this.#by);
    const isAnyFree = this.#binds.length + this.#others.length < binds;
    this.#ticksFree = isAnyFree ? this.#ticksFree + 1 : 0;
    // Owners wait before taking another bind, so that binds spread over the processes.
    const mayTakeNow = this.#binds.length === 0 || this.#ticksFree > TICKS_LEFT_TO_OTHERS;
    if (isAnyFree && mayTakeNow && mayOwn && !this.#isDraining) await this.#takeOne();
  }

  async #renew(): Promise<void> {
    this.#published = this.#summary();
    const { carrier } = this.#options;
    for (const bind of this.#binds) {
      if (await bind.lease.renew(bind.state())) continue;
      this.#deps.log.warn(
        { carrier, bind: bind.lease.bind },
        "carriers: bind lost to another process",
      );
      this.#binds = this.#binds.filter((one) => one !== bind);
      void bind.stop();
    }
  }

  #summary(): string {
    return this.#binds.map((bind) => `${bind.lease.bind} ${bind.state().state}`).join();
  }

  async #takeOne(): Promise<void> {
    const { clock, db } = this.#deps;
    const { carrier, binds, owner } = this.#options;
    const leasedAtMs = clock.monotonic();
    const values = [carrier, binds, this.#by, owner];
    const [taken] = await db.query<{ bind: number; lease_epoch: number }>(takeBind, values);
    this.#ticksFree = 0;
    if (!taken) return;
    if (taken.lease_epoch > 1) await this.#options.prepare();
    const key = { carrier, bind: taken.bind, by: this.#by, epoch: taken.lease_epoch };
    this.#binds.push(this.#options.open(new BindLease(this.#deps, key, leasedAtMs)));
    await db.query(forgetBinds, [carrier, binds]);
  }
}
