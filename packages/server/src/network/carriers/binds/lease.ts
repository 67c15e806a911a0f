import type { Base } from "../../../core/base.ts";
import { BIND_LEASE_SECONDS, releaseBind, renewBind } from "./sql.ts";

const LEASE_MS = BIND_LEASE_SECONDS * 1_000;
/**
 * Safety margin at the end of a lease in which nothing is sent: the next owner may already be
 * starting.
 */
const LEASE_MARGIN_MS = 2_000;

/** State of a bind as its owner publishes it. */
export interface BindState {
  readonly state: "up" | "connecting" | "down";
  readonly inFlight: number;
  readonly lastError: string | null;
  /** Milliseconds until the next connection attempt; null while the bind is up or connecting. */
  readonly nextTryInMs: number | null;
}

export interface LeaseKey {
  readonly carrier: string;
  readonly bind: number;
  readonly by: string;
  readonly epoch: number;
}

/**
 * A process's lease of one bind, valid while the process renews it. The epoch identifies the owner.
 */
export class BindLease {
  readonly #deps: Pick<Base, "db" | "clock" | "log">;
  readonly #key: LeaseKey;
  #leasedUntilMs: number;

  /** `leasedAtMs`: monotonic time at which the lease was requested. */
  constructor(deps: Pick<Base, "db" | "clock" | "log">, key: LeaseKey, leasedAtMs: number) {
    this.#deps = deps;
    this.#key = key;
    this.#leasedUntilMs = leasedAtMs + LEASE_MS;
  }

  get bind(): number {
    return this.#key.bind;
  }

  /** Fence: whether this process may write to the link now. */
  get isOurs(): boolean {
    return this.#leasedUntilMs - this.#deps.clock.monotonic() > LEASE_MARGIN_MS;
  }

  /**
   * Renews the lease and publishes the state. False when another process owns the bind, or may own
   * it.
   */
  async renew({ state, inFlight, lastError, nextTryInMs }: BindState): Promise<boolean> {
    const { carrier, bind, by, epoch } = this.#key;
    const startedAtMs = this.#deps.clock.monotonic();
    try {
      const values = [carrier, bind, by, epoch, state, inFlight, lastError, nextTryInMs];
      const rows = await this.#deps.db.query(renewBind, values);
      if (rows.length === 0) return false;
      this.#leasedUntilMs = startedAtMs + LEASE_MS;
      return true;
    } catch (error) {
      this.#deps.log.warn({ err: error, carrier, bind }, "carriers: bind lease not renewed");
      return this.#leasedUntilMs > this.#deps.clock.monotonic();
    }
  }

  /** Releases the lease so that another process can take the bind immediately. */
  async release(): Promise<void> {
    const { carrier, bind, by, epoch } = this.#key;
    await this.#deps.db.query(releaseBind, [carrier, bind, by, epoch]).catch((error: unknown) => {
      // An unreleased lease expires.
      this.#deps.log.warn({ err: error, carrier, bind }, "carriers: bind lease not released");
    });
  }
}
