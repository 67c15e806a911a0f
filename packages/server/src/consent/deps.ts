import type { Base, Owner } from "../base.ts";
import type { Tx } from "../db/database.ts";

/** What it takes to change who may be texted. */
export interface ConsentDeps extends Base {
  /** Hears who has just opted out of everything an account sends, handed in from above. */
  readonly heedOptOuts: (tx: Tx, owner: Owner, phones: readonly string[]) => Promise<void>;
}
