import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { Registry } from "./registry/registry.ts";
import type { WebsiteChecker } from "./website/checker.ts";

export interface RegistrationsDeps extends Base {
  /** Fetches and checks websites. */
  readonly websites: WebsiteChecker;
  /** Registry for live submissions; null where the operator decides. */
  readonly registry: Registry | null;
  /** Recomputes the sender states of an account's numbers from its registrations. */
  readonly followSenders: (tx: Tx, account: AccountRef) => Promise<void>;
}
