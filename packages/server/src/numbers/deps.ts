import type { CustomersDeps } from "../customers/deps.ts";
import type { NumberDirectory } from "./directory.ts";

export interface NumbersDeps extends CustomersDeps {
  /** Who owns which number, and who sends next from a pool. */
  readonly numbers: NumberDirectory;
}
