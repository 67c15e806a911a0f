import type { Base } from "../../core/base.ts";
import type { OperatorTokenFinder } from "../../http/auth/admission.ts";
import type { KeyDirectory } from "./directory.ts";

export interface KeysDeps extends Base {
  /** Looks up keys. */
  readonly keys: KeyDirectory;
  /** Looks up named operator tokens. */
  readonly operatorTokens: OperatorTokenFinder;
}
