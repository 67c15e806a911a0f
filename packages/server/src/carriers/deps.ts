import type { QueueDeps } from "../queue/deps.ts";
import type { Carriers } from "./routing.ts";

export interface CarriersDeps extends QueueDeps {
  readonly carriers: Carriers;
}
