import type { Base } from "../base.ts";
import type { BoundLane, Wakes } from "./lane.ts";

/** Dependencies of a domain with due work. */
export interface QueueDeps extends Base {
  /** Wakes this process's worker, if it has one, when a lane has work. */
  readonly wakes: Wakes;
}

/** Dependencies of the worker that drives all lanes. */
export interface WorkerDeps extends QueueDeps {
  /** Every source of due work. */
  readonly lanes: readonly BoundLane[];
}
