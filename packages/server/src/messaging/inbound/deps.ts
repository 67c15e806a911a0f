import type { Tx } from "../../core/db/driver/database.ts";
import type { KeywordDeps } from "../../people/consent/index.ts";
import type { OutboundDeps } from "../outbound/index.ts";

/** A message from a phone to one of the service's own numbers. */
export interface ServiceMessage {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

export interface InboundDeps extends OutboundDeps, KeywordDeps {
  /** Handles messages to the service's own numbers. Injected by a layer above. */
  readonly onServiceMessage: (tx: Tx, message: ServiceMessage) => Promise<void>;
}
