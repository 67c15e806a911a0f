import type { Base } from "../../core/base.ts";
import type { ImportRuns } from "./runs.ts";

export interface ImporterDeps extends Base {
  /** Import runs of this process. */
  readonly imports: ImportRuns;
}
