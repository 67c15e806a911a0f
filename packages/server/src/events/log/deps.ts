import type { Base } from "../base.ts";
import type { EventWaits } from "./waits.ts";

export interface EventsDeps extends Base {
  /** The calls of this process that wait for events. */
  readonly eventWaits: EventWaits;
}
