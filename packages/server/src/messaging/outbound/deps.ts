import type { AccountsDeps } from "../../account/accounts/deps.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Peers } from "../../core/platform/peers/index.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import type { NumbersDeps } from "../../network/numbers/deps.ts";
import type { RegistrationPace } from "../../network/registrations/index.ts";
import type { ConsentDeps, ErasedPhones } from "../../people/consent/index.ts";
import type { MessageRow } from "../messages/index.ts";
import type { MessageWriter } from "./accept.ts";
import type { AccountQueue } from "./account-queue.ts";
import type { RemoteSubmits } from "./await-remote-submit.ts";
import type { MessageFollowers } from "./follower.ts";
import type { SettlementWriter } from "./settle.ts";
import type { DueReceiptsWriter } from "./simulated-receipts-writer.ts";

/** Dependencies of the sending path: prepare, accept, dispatch, submit, settle and receipts. */
export interface OutboundDeps extends AccountsDeps, CarriersDeps, ConsentDeps, NumbersDeps {
  /** Paces numbers by what networks granted their registration. */
  readonly registrationPace: RegistrationPace;
  /** Accepts messages with group commit. */
  readonly messageWriter: MessageWriter;
  /** Stores the outcomes of submits with group commit. */
  readonly settlements: SettlementWriter;
  /** Applies simulated receipts with group commit. */
  readonly dueReceipts: DueReceiptsWriter;
  /** The other processes of this machine, which own accounts. */
  readonly peers: Peers;
  /** Writes an item that a peer forwarded. */
  readonly receiveForwarded: AccountQueue["receive"];
  /** Waits for messages that another process submits. */
  readonly remoteSubmits: RemoteSubmits;
  /** Numbers that accounts have erased. */
  readonly erasedPhones: ErasedPhones;
  /** Rows of other domains that move together with messages. */
  readonly follower: MessageFollowers;
  /** Phones among these that have sent STOP to the service's own numbers. Injected by a layer above. */
  readonly stoppedService: (
    db: Queryable,
    phones: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** Receives the reply of a simulated phone after a delivery. Injected by a layer above. */
  readonly simulateReply: (tx: Tx, delivered: MessageRow) => Promise<unknown>;
}
