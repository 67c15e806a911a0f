import type { AccountsDeps } from "./accounts/deps.ts";
import type { ResultsCache } from "./batches/results-cache.ts";
import type { TurnOrder } from "./batches/turn-order.ts";
import type { CarriersDeps } from "./carriers/deps.ts";
import type { CustomerHandlersDeps } from "./customers/deps.ts";
import type { EventsDeps } from "./events/deps.ts";
import type { MessageWriter } from "./handover/accept.ts";
import type { MessageFollower } from "./handover/follower.ts";
import type { SettlementWriter } from "./handover/settle.ts";
import type { KeyDirectory } from "./keys/directory.ts";
import type { NumbersDeps } from "./numbers/deps.ts";
import type { WorkerDeps } from "./queue/deps.ts";
import type { VerificationWriters } from "./verify/writers.ts";
import type { WebhooksDeps } from "./webhooks/deps.ts";

/** What all domains need, taken together. Plain values, built once in assemble.ts. */
export interface Deps
  extends AccountsDeps,
    CarriersDeps,
    CustomerHandlersDeps,
    EventsDeps,
    NumbersDeps,
    WebhooksDeps,
    WorkerDeps {
  readonly keys: KeyDirectory;
  /** Accepts messages by groups, and writes down by groups what carriers made of them. */
  readonly messageWriter: MessageWriter;
  readonly settlements: SettlementWriter;
  /** Whose rows move with those of messages. */
  readonly follower: MessageFollower;
  readonly batchResults: ResultsCache;
  readonly batchTurns: TurnOrder;
  /** Starts and checks verifications by groups. */
  readonly verifications: VerificationWriters;
}
