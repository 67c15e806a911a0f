import {
  type Carrier,
  type CarrierSink,
  type LinkState,
  NOT_SENT,
  type OutboundMessage,
  type RequestedBy,
  type SubmitOutcome,
} from "../carrier.ts";
import type { BindLease, BindState } from "./lease.ts";
import { type BindDeps, type BindOwnership, LeasedBinds, type OwnedBind } from "./leased-binds.ts";

export interface LeasedCarrierOptions extends BindOwnership {
  readonly name: string;
  /** Number of binds across the installation. */
  readonly binds: number;
  readonly ratePerSecond: number | null;
}

/**
 * Base of carriers whose binds are leased, one owner process per bind. Subclasses open binds and
 * submit messages.
 */
export abstract class LeasedCarrier<B extends OwnedBind> implements Carrier {
  readonly name: string;
  protected readonly binds: LeasedBinds<B>;
  protected readonly deps: BindDeps;
  /** Receives receipts and inbound messages; null until `start`. */
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

  reserve(count: number, requestedBy: RequestedBy): number {
    return this.binds.slots.reserve(count, requestedBy);
  }

  reserveSoon(): Promise<boolean> {
    return this.binds.slots.reserveSoon();
  }

  isFilling(): boolean {
    return this.binds.slots.isFilling();
  }

  release(count: number): void {
    this.binds.slots.release(count);
  }

  submit(message: OutboundMessage, written: Promise<void>): Promise<SubmitOutcome> {
    const bind = this.binds.slots.use();
    if (!bind) return Promise.resolve(NOT_SENT);
    return this.submitOn(bind, message, () => {
      void written.then(() => this.binds.slots.free(bind));
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

  /** Submits on the bind. Calls `end` once the carrier can send no further answer. */
  protected abstract submitOn(
    bind: B,
    message: OutboundMessage,
    end: () => void,
  ): Promise<SubmitOutcome>;

  /** Called before taking over a bind whose previous owner may have crashed. */
  protected async prepare(): Promise<void> {}

  /** Called about every second. */
  protected async refresh(): Promise<void> {}
}
