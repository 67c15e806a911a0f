import type { Base } from "../../base.ts";
import { BIND_LEASE_SECONDS, releaseBind, renewBind } from "./sql.ts";

const LEASE_MS = BIND_LEASE_SECONDS * 1_000;
/** Nothing is sent in the last moments of a lease: the next owner may be about to begin. */
const LEASE_MARGIN_MS = 2_000;

/** How a link is, as its owner tells the others. */
export interface BindState {
  readonly state: "up" | "connecting" | "down";
  readonly inFlight: number;
  readonly lastError: string | null;
  /** Until a link that is down is tried again; null while it is up, or being tried. */
  readonly nextTryInMs: number | null;
}

export interface LeaseKey {
  readonly carrier: string;
  readonly bind: number;
  readonly by: string;
  readonly epoch: number;
}

/** What one process has of a bind, for as long as it renews it. The epoch tells owners apart. */
export class BindLease {
  readonly #deps: Pick<Base, "db" | "clock" | "log">;
  readonly #key: LeaseKey;
  #leasedUntilMs: number;

  /** `leasedAtMs`: when the lease was asked for, by the clock that nobody turns back. */
  constructor(deps: Pick<Base, "db" | "clock" | "log">, key: LeaseKey, leasedAtMs: number) {
    this.#deps = deps;
    this.#key = key;
    this.#leasedUntilMs = leasedAtMs + LEASE_MS;
  }

  get bind(): number {
    return this.#key.bind;
  }

  /** The fence: whether this process may write to the link right now. */
  get isOurs(): boolean {
    return this.#leasedUntilMs - this.#deps.clock.monotonic() > LEASE_MARGIN_MS;
  }

  /** False when somebody else has the bind by now, or may have. */
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
      this.#deps.log.warn({ err: error, carrier, bind }, "a bind's lease was not renewed");
      return this.#leasedUntilMs > this.#deps.clock.monotonic();
    }
  }

  /** Lets somebody else have it at once. */
  async release(): Promise<void> {
    const { carrier, bind, by, epoch } = this.#key;
    await this.#deps.db.query(releaseBind, [carrier, bind, by, epoch]).catch((error: unknown) => {
      // It runs out by itself.
      this.#deps.log.warn({ err: error, carrier, bind }, "a bind's lease was not released");
    });
  }
}
