import type { Base } from "../base.ts";
import type { WebsiteChecker } from "./website/checker.ts";

export interface RegistrationsDeps extends Base {
  /** Reads and judges websites. */
  readonly websites: WebsiteChecker;
}
