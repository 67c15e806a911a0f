import type { Base } from "../base.ts";
import type { BoundLane, Wakes } from "./lane.ts";

/** What a domain with due work needs. */
export interface QueueDeps extends Base {
  /** Tells this process's worker, if it has one, that a lane has work. */
  readonly wakes: Wakes;
}

/** What drives the due work of all domains. */
export interface WorkerDeps extends QueueDeps {
  /** Every source of due work. */
  readonly lanes: readonly BoundLane[];
}
