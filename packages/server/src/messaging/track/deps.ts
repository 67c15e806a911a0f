import type { AutomationsDeps } from "../automations/index.ts";
import type { Turns } from "../platform/turns.ts";
import type { TrackWriter } from "./writer.ts";

export interface TrackDeps extends AutomationsDeps {
  /** Writes by groups what was tracked. */
  readonly tracked: TrackWriter;
  /** For calls that may start many runs. */
  readonly trackTurns: Turns;
}
