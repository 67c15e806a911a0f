import type { Base } from "../../core/base.ts";
import type { EventWaits } from "./waits.ts";

export interface EventsDeps extends Base {
  /** Waiting GET /events calls of this process. */
  readonly eventWaits: EventWaits;
}
