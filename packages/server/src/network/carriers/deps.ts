import type { QueueDeps } from "../queue/deps.ts";
import type { Carriers, Reloaded } from "./routing.ts";

export interface CarriersDeps extends QueueDeps {
  readonly carriers: Carriers;
  /** Reads the carriers file again, and tells the other processes to. A bad file changes nothing. */
  readonly reloadCarriers: () => Promise<Reloaded>;
}
