import { type Delivery, SmppClient, type Clock as SmppClock } from "@longwave/smpp";
import type { Base } from "../../../core/base.ts";
import type { BindLease, BindState } from "../binds/lease.ts";
import type { OwnedBind } from "../binds/leased-binds.ts";
import type { SmppOptions } from "./config.ts";

export interface BindOptions {
  readonly options: SmppOptions;
  readonly lease: BindLease;
  readonly onDelivery: (pdu: Delivery) => Promise<number>;
  readonly onChange: () => void;
}

/** One bind that this process owns: a session, or a transmitter and receiver pair. */
export class Bind implements OwnedBind {
  readonly lease: BindLease;
  readonly client: SmppClient;
  readonly window: number;
  reserved = 0;
  submitting = 0;

  constructor(deps: Pick<Base, "clock">, { options, lease, onDelivery, onChange }: BindOptions) {
    this.lease = lease;
    this.window = options.window;
    this.client = new SmppClient({
      hosts: options.hosts,
      tls: options.tls,
      systemId: options.systemId,
      password: options.password,
      systemType: options.systemType,
      interfaceVersion: options.interfaceVersion,
      bind: options.bind,
      window: options.window,
      // Each bind has one owner, so equal shares of the rate never exceed it.
      ratePerSecond: options.ratePerSecond === null ? null : options.ratePerSecond / options.binds,
      queueMax: 0,
      statusKinds: options.statusKinds,
      times: {
        answerMs: options.answerMs,
        stuckMs: 2 * options.answerMs,
        enquireLinkMs: options.enquireLinkMs,
      },
      clock: clockOf(deps),
      onDelivery,
      // Window changes are reported where slots are freed, because `reserved` counts too.
      onChange: (what) => {
        if (what === "state") onChange();
      },
    });
    this.client.start();
  }

  /** Free slots. An unanswered submit keeps its slot until the session ends. */
  get free(): number {
    if (!this.isUp) return 0;
    return Math.max(0, this.window - Math.max(this.reserved, this.client.inFlight));
  }

  get isUp(): boolean {
    return this.client.isUp && this.lease.isOurs;
  }

  state(): BindState {
    return this.client.state();
  }

  async stop(): Promise<void> {
    await this.client.stop();
    await this.lease.release();
  }
}

/** Network deadlines run on real time. */
function clockOf({ clock }: Pick<Base, "clock">): SmppClock {
  return {
    now: () => clock.monotonic(),
    after: (ms, call) => ({ cancel: clock.after(ms, call) }),
  };
}
