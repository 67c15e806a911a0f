import type { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";
import type { AutomationsDeps } from "../automations/index.ts";
import type { TrackWriter } from "./writer.ts";

export interface TrackDeps extends AutomationsDeps {
  /** Group commit of tracked events. */
  readonly tracked: TrackWriter;
  /** Limits concurrent calls, per account, that may start many runs. */
  readonly trackLimiter: KeyedLimiter;
}
