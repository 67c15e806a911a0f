import {
  type Carrier,
  type CarrierSink,
  type LinkState,
  NOT_SENT,
  type OutboundText,
  type SubmitOutcome,
  type WantedBy,
} from "../carrier.ts";
import type { BindLease, BindState } from "./lease.ts";
import { type BindDeps, LeasedBinds, type LinkPlace, type OwnedBind } from "./leased-binds.ts";

export interface LeasedCarrierOptions extends LinkPlace {
  readonly name: string;
  /** How many binds the installation keeps. */
  readonly binds: number;
  readonly ratePerSecond: number | null;
}

/**
 * A carrier whose binds are leased, one owner each among the processes: what it does with places, state
 * and life is what its binds do. What is left to say is how a bind is opened, and a text submitted on it.
 */
export abstract class LeasedCarrier<B extends OwnedBind> implements Carrier {
  readonly name: string;
  protected readonly binds: LeasedBinds<B>;
  protected readonly deps: BindDeps;
  /** Where receipts and texts go, once it is started. */
  protected sink: CarrierSink | null = null;

  constructor(deps: BindDeps, { name, ...options }: LeasedCarrierOptions) {
    this.name = name;
    this.deps = deps;
    this.binds = new LeasedBinds(deps, {
      carrier: name,
      ...options,
      open: (lease) => this.open(lease),
      prepare: () => this.prepare(),
      refresh: () => this.refresh(),
    });
  }

  reserve(count: number, wantedBy: WantedBy): number {
    return this.binds.places.reserve(count, wantedBy);
  }

  reserveSoon(): Promise<boolean> {
    return this.binds.places.reserveSoon();
  }

  isFilling(): boolean {
    return this.binds.places.isFilling();
  }

  release(count: number): void {
    this.binds.places.release(count);
  }

  submit(text: OutboundText, written: Promise<void>): Promise<SubmitOutcome> {
    const bind = this.binds.places.use();
    if (!bind) return Promise.resolve(NOT_SENT);
    return this.submitOn(bind, text, () => {
      void written.then(() => this.binds.places.free(bind));
    });
  }

  state(): LinkState {
    return this.binds.state();
  }

  bindStates(): ReadonlyMap<number, BindState> {
    return this.binds.bindStates();
  }

  async start(sink: CarrierSink): Promise<void> {
    this.sink = sink;
    await this.binds.start();
  }

  async stop(): Promise<void> {
    await this.binds.stop();
  }

  protected abstract open(lease: BindLease): B;

  /** Submits into a place of the bind, and says so once the carrier has no more to say. */
  protected abstract submitOn(bind: B, text: OutboundText, end: () => void): Promise<SubmitOutcome>;

  /** What comes before a bind is opened that was another's, who may have died. */
  protected async prepare(): Promise<void> {}

  /** Whatever else is looked after every second. */
  protected async refresh(): Promise<void> {}
}
