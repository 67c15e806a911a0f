import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { LedgerOwner } from "./consent-row.ts";

/** Dependencies of consent changes. */
export interface ConsentDeps extends Base {
  /** Called with phones that have opted out of the whole account. Injected: its implementations are in higher layers. */
  readonly onOptOut: (tx: Tx, owner: LedgerOwner, phones: readonly string[]) => Promise<void>;
}
