import type { AccountsDeps } from "../accounts/deps.ts";
import type { CarriersDeps } from "../carriers/deps.ts";
import type { ConsentDeps } from "../consent/index.ts";
import type { Tx } from "../db/database.ts";
import type { NumbersDeps } from "../numbers/deps.ts";
import type { MessageWriter } from "./accept.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { MessageFollowers } from "./follower.ts";
import type { MessageRow } from "./message.ts";
import type { SettlementWriter } from "./settle.ts";

/** What it takes to compose texts, write them and hand them to carriers. */
export interface HandoverDeps extends AccountsDeps, CarriersDeps, ConsentDeps, NumbersDeps {
  /** Accepts messages by groups, and writes down by groups what carriers made of them. */
  readonly messageWriter: MessageWriter;
  readonly settlements: SettlementWriter;
  /** Waits for texts that another process hands over. */
  readonly elsewhere: Elsewhere;
  /** Whose rows move with those of messages. */
  readonly follower: MessageFollowers;
  /** What a simulated phone texts back once a text was delivered to it, handed in from above. */
  readonly simulateReply: (tx: Tx, delivered: MessageRow) => Promise<unknown>;
}
