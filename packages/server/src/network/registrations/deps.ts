import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import type { Registry } from "./registry/registry.ts";
import type { WebsiteChecker } from "./website/checker.ts";

export interface RegistrationsDeps extends Base {
  /** Reads and judges websites. */
  readonly websites: WebsiteChecker;
  /** Where live submissions are filed; null where the operator decides alone. */
  readonly registry: Registry | null;
  /** Brings the numbers of an account in line with its registrations. */
  readonly followSenders: (tx: Tx, account: AccountRef) => Promise<void>;
}
