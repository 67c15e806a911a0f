import type { Base } from "../../core/base.ts";
import type { Mailer } from "./mail.ts";

/** Dependencies of the operator's calls on people. */
export interface OperatorPeopleDeps extends Base {
  readonly mailer: Mailer;
}
