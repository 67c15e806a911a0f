import type { AccountRow } from "../api/caller.ts";
import type { Base } from "../base.ts";
import type { StandingReader } from "../billing/index.ts";
import type { VerifiedNumbers } from "./verified-numbers.ts";

export interface AccountsDeps extends Base {
  /** Money and what is left of the free allowance, read by groups. */
  readonly standings: StandingReader;
  /** The phones of each account's own people. */
  readonly verifiedNumbers: VerifiedNumbers;
  /** What callbacks of another provider's door are signed with; null while it is closed. */
  readonly callbackToken: (account: AccountRow) => Promise<string | null>;
}
