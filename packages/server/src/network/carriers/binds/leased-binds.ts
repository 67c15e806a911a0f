import type { Base } from "../../base.ts";
import type { Wakes } from "../../queue/lane.ts";
import type { LinkState } from "../carrier.ts";
import { BindPlaces, type Windowed } from "./bind-places.ts";
import { BindLease, type BindState } from "./lease.ts";
import { type BindRow, forgetBinds, listBinds, takeBind } from "./sql.ts";

export type BindDeps = Pick<
  Base,
  "config" | "db" | "clock" | "log" | "ids" | "random" | "metrics"
> & {
  readonly wakes: Wakes;
};

/** One link that this process keeps, because it has the lease of a bind. */
export interface OwnedBind extends Windowed {
  readonly lease: BindLease;
  /** Whether texts can be given to it: the link is up, and the lease ours. */
  readonly isUp: boolean;
  state(): BindState;
  /** Waits for the answers of what is out, closes the link and gives the lease back. */
  stop(): Promise<void>;
}

/** Where links are kept. */
export interface LinkPlace {
  /** Whether this process takes leases: not one that hands over nothing by itself. */
  readonly mayOwn: boolean;
  /** How operators call this process. */
  readonly owner: string;
}

export interface LeasedBindsOptions<B extends OwnedBind> extends LinkPlace {
  readonly carrier: string;
  /** How many binds the installation keeps. */
  readonly binds: number;
  readonly ratePerSecond: number | null;
  open(lease: BindLease): B;
  /** What comes before a bind is opened that was another's, who may have died. */
  prepare(): Promise<void>;
  /** Whatever else is looked after every second. */
  refresh(): Promise<void>;
}

const TICK_MS = 500;
/** Every so many ticks leases are renewed; sooner when a link went up or down. */
const TICKS_PER_RENEWAL = 2;
/** A free bind is left to processes that have none for so many ticks. */
const TICKS_LEFT_TO_OTHERS = 2;
/** A start waits this long for the link, so that the first texts find it up. */
const START_WAIT_MS = 2_000;
/** A stop waits this long for texts that have a place and are not submitted yet. */
const PLACES_WAIT_MS_MAX = 5_000;
const WAIT_STEP_MS = 20;

/** The binds of a carrier, spread over the processes: this one has those it owns, and knows of the others. */
export class LeasedBinds<B extends OwnedBind> {
  readonly places: BindPlaces<B>;
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
  /** How the own links were when the others were last told. */
  #told = "";
  /** Between two looks; cut short when there is something to tell. */
  #sleep = new AbortController();

  constructor(deps: BindDeps, options: LeasedBindsOptions<B>) {
    this.#deps = deps;
    this.#options = options;
    this.#by = deps.ids.make();
    this.places = new BindPlaces(deps, () => this.#binds);
  }

  /** Aborted when nothing more is to be begun. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get own(): readonly B[] {
    return this.#binds;
  }

  /** To be called when a link goes up or down. */
  changed(): void {
    this.places.offer();
    if (this.#told !== this.#saying()) this.#sleep.abort();
  }

  state(): LinkState {
    const own = this.#binds.map((bind) => bind.state());
    const all = [...own, ...this.#others].map(({ state }) => state);
    const isHere = own.some(({ state }) => state === "up");
    return {
      state: all.includes("up") ? "up" : all.includes("connecting") ? "connecting" : "down",
      isHere,
      windowFree: this.places.freeCount,
      ratePerSecond: this.#options.ratePerSecond,
      lastError: own.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    };
  }

  /** Of this process's binds, as of now. */
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

  /** Takes nothing new, lets what has a place go out, and closes the links. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.places.close();
    const { clock } = this.#deps;
    const endMs = clock.monotonic() + PLACES_WAIT_MS_MAX;
    while (this.places.areAnyUnused && clock.monotonic() < endMs) {
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
        log.warn({ err: error, carrier }, "the binds of a carrier could not be looked after");
      });
    }
  }

  /** Renews what is ours, lets go of what is not, and takes one bind that is free. */
  async #tick(): Promise<void> {
    const isRenewal = this.#ticks % TICKS_PER_RENEWAL === 0;
    this.#ticks += 1;
    if (isRenewal || this.#told !== this.#saying()) await this.#renew();
    if (isRenewal) await this.#options.refresh();
    const { carrier, binds, mayOwn } = this.#options;
    const rows = await this.#deps.db.query<BindRow>(listBinds, [[carrier]]);
    this.#others = rows.filter((row) => row.leased_by !== null && row.leased_by !== this.#by);
    const isAnyFree = this.#binds.length + this.#others.length < binds;
    this.#ticksFree = isAnyFree ? this.#ticksFree + 1 : 0;
    // Whoever has one leaves the next to others for a moment, so that binds spread over processes.
    const isMyTurn = this.#binds.length === 0 || this.#ticksFree > TICKS_LEFT_TO_OTHERS;
    if (isAnyFree && isMyTurn && mayOwn && !this.#isDraining) await this.#takeOne();
  }

  async #renew(): Promise<void> {
    this.#told = this.#saying();
    const { carrier } = this.#options;
    for (const bind of this.#binds) {
      if (await bind.lease.renew(bind.state())) continue;
      this.#deps.log.warn({ carrier, bind: bind.lease.bind }, "another process has a bind of ours");
      this.#binds = this.#binds.filter((one) => one !== bind);
      void bind.stop();
    }
  }

  #saying(): string {
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
