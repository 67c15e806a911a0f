import type { Base } from "../../core/base.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import type { BalanceReader } from "../billing/index.ts";
import type { VerifiedNumbers } from "./verified-number-cache.ts";

export interface AccountsDeps extends Base {
  /** Balances and remaining allowances, read in groups. */
  readonly balances: BalanceReader;
  /** Verified numbers: phones of each account's own people. */
  readonly verifiedNumbers: VerifiedNumbers;
  /** Signing token for callbacks of the Twilio-compatible API; null while that API is disabled. */
  readonly callbackToken: (account: AccountRow) => Promise<string | null>;
}
