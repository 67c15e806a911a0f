import type { QueueDeps } from "../../core/queue/deps.ts";
import type { Carriers, Reloaded } from "./routing.ts";

export interface CarriersDeps extends QueueDeps {
  readonly carriers: Carriers;
  /**
   * Reloads the carriers file and notifies the other processes. An invalid file changes nothing.
   */
  readonly reloadCarriers: () => Promise<Reloaded>;
}
