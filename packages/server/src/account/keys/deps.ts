import type { Base } from "../../core/base.ts";
import type { KeyDirectory } from "./directory.ts";

export interface KeysDeps extends Base {
  /** Looks up keys. */
  readonly keys: KeyDirectory;
}
