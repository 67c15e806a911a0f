import type { ConsentTextDeps } from "../consent/index.ts";
import type { Tx } from "../db/database.ts";
import type { HandoverDeps } from "../handover/index.ts";

/** A text from a phone to a number that no account holds. */
export interface ServiceText {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

export interface InboundDeps extends HandoverDeps, ConsentTextDeps {
  /** Hears what phones text to the service's own numbers, handed in from above. */
  readonly heedServiceText: (tx: Tx, text: ServiceText) => Promise<void>;
}
