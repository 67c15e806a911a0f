import type { Base } from "../base.ts";
import type { KeyDirectory } from "./directory.ts";

export interface KeysDeps extends Base {
  /** Who a key belongs to. */
  readonly keys: KeyDirectory;
}
