import type { Base } from "../../core/base.ts";
import type { ImportRuns } from "./runs.ts";

export interface ImporterDeps extends Base {
  /** The imports that this process carries out. */
  readonly imports: ImportRuns;
}
