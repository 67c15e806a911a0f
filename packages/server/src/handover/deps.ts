import type { AccountsDeps } from "../accounts/deps.ts";
import type { CarriersDeps } from "../carriers/deps.ts";
import type { NumbersDeps } from "../numbers/deps.ts";
import type { MessageWriter } from "./accept.ts";
import type { MessageFollower } from "./follower.ts";
import type { SettlementWriter } from "./settle.ts";

export interface HandoverDeps extends AccountsDeps, CarriersDeps, NumbersDeps {
  /** Accepts messages by groups. */
  readonly messageWriter: MessageWriter;
  /** Writes down by groups what carriers made of them. */
  readonly settlements: SettlementWriter;
  /** Whose rows move with those of messages. */
  readonly follower: MessageFollower;
}
