import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { BalanceReader } from "../billing/index.ts";

export interface AccountsDeps extends Base {
  /** Balances and remaining allowances, read in groups. */
  readonly balances: BalanceReader;
  /** Whether the account has verified this phone of its own people. Injected by a layer above. */
  readonly isVerified: (account: AccountRef, phone: string) => Promise<boolean>;
}
