import { type Delivery, SmppClient, type Clock as SmppClock } from "@longwave/smpp";
import type { Base } from "../../base.ts";
import type { SmppOptions } from "./config.ts";
import { BIND_LEASE_SECONDS, releaseBind, renewBind } from "./sql.ts";

export type BindDeps = Pick<Base, "db" | "clock" | "log" | "random">;

export interface BindOptions {
  readonly carrier: string;
  readonly options: SmppOptions;
  readonly lease: { readonly bind: number; readonly by: string; readonly epoch: number };
  /** When the lease was asked for, by the clock that nobody turns back. */
  readonly leasedAtMs: number;
  readonly onDelivery: (pdu: Delivery) => Promise<number>;
  readonly onChange: () => void;
}

const LEASE_MS = BIND_LEASE_SECONDS * 1_000;
/** Nothing is sent in the last moments of a lease: the next owner may be about to begin. */
const LEASE_MARGIN_MS = 2_000;

/** One bind that this process owns, for as long as it renews its lease. */
export class Bind {
  readonly #deps: BindDeps;
  readonly #given: BindOptions;
  readonly #client: SmppClient;
  #leasedUntilMs: number;
  /** Places of the window that texts hold. */
  held = 0;

  constructor(deps: BindDeps, given: BindOptions) {
    const { options } = given;
    this.#deps = deps;
    this.#given = given;
    this.#leasedUntilMs = given.leasedAtMs + LEASE_MS;
    this.#client = new SmppClient({
      hosts: options.hosts,
      tls: options.tls,
      systemId: options.systemId,
      password: options.password,
      systemType: options.systemType,
      interfaceVersion: options.interfaceVersion,
      bind: options.bind,
      window: options.window,
      // Each bind has one owner, so equal shares of the rate never add up to more than it.
      ratePerSecond: options.ratePerSecond === null ? null : options.ratePerSecond / options.binds,
      queueMax: 0,
      statusKinds: options.statusKinds,
      times: {
        answerMs: options.answerMs,
        stuckMs: 2 * options.answerMs,
        enquireLinkMs: options.enquireLinkMs,
      },
      clock: clockOf(deps),
      onDelivery: given.onDelivery,
      onChange: given.onChange,
    });
    this.#client.start();
  }

  get number(): number {
    return this.#given.lease.bind;
  }

  get client(): SmppClient {
    return this.#client;
  }

  /** The fence: whether this process may write to the link right now. */
  get isOurs(): boolean {
    return this.#leasedUntilMs - this.#deps.clock.monotonic() > LEASE_MARGIN_MS;
  }

  /** Places that nobody holds; what went unanswered holds its own until the session ends. */
  get free(): number {
    const { state, window, inFlight } = this.#client.state();
    if (state !== "up" || !this.isOurs) return 0;
    return Math.max(0, window - Math.max(this.held, inFlight));
  }

  /** False when somebody else has the bind by now, or may have. */
  async renew(): Promise<boolean> {
    const { carrier, lease } = this.#given;
    const startedAtMs = this.#deps.clock.monotonic();
    const { state, inFlight, lastError } = this.#client.state();
    try {
      const values = [carrier, lease.bind, lease.by, lease.epoch, state, inFlight, lastError];
      const rows = await this.#deps.db.query(renewBind, values);
      if (rows.length === 0) return false;
      this.#leasedUntilMs = startedAtMs + LEASE_MS;
      return true;
    } catch (error) {
      this.#deps.log.warn(
        { err: error, carrier, bind: lease.bind },
        "a bind's lease was not renewed",
      );
      return this.#leasedUntilMs > this.#deps.clock.monotonic();
    }
  }

  /** Waits for the answers of what is out, unbinds, and lets somebody else have it. */
  async stop(): Promise<void> {
    const { carrier, lease } = this.#given;
    await this.#client.stop();
    await this.#deps.db
      .query(releaseBind, [carrier, lease.bind, lease.by, lease.epoch])
      .catch((error: unknown) => {
        // It runs out by itself.
        this.#deps.log.warn(
          { err: error, carrier, bind: lease.bind },
          "a bind's lease was not released",
        );
      });
  }
}

/** Deadlines of the network run on real time. */
function clockOf({ clock }: BindDeps): SmppClock {
  return {
    now: () => clock.monotonic(),
    after: (ms, call) => ({ cancel: clock.after(ms, call) }),
  };
}
