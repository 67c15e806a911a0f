import type { Tx } from "../db/database.ts";
import type { HandoverDeps } from "../handover/deps.ts";

/** A text from a phone to a number that no account holds. */
export interface ServiceText {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

export interface InboundDeps extends HandoverDeps {
  /** Who is told of texts to numbers that are nobody's: verification, whose numbers they may be. */
  readonly verifications: { heed(tx: Tx, text: ServiceText): Promise<void> };
}
