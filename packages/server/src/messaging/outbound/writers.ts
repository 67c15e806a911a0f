import { STRIPES } from "../../core/db/driver/stripes.ts";
import { createPeers } from "../../core/platform/peers/index.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import { createMessageWriter } from "./accept.ts";
import { createAccountQueue } from "./account-queue.ts";
import type { OutboundDeps } from "./deps.ts";
import { createSettlementWriter } from "./settle.ts";
import { createDueReceiptsWriter } from "./simulated-receipts-writer.ts";

type Writers = Pick<
  OutboundDeps,
  "messageWriter" | "settlements" | "dueReceipts" | "peers" | "receiveForwarded"
>;

/** The writers of the sending path, which share one account queue. `build`: only peers of the same one are used. */
export function createOutboundWriters(
  given: QueueDeps & Pick<OutboundDeps, "follower">,
  build: string,
): Writers {
  const peers = createPeers({ classes: STRIPES, build, clock: given.clock, log: given.log });
  const deps = { ...given, peers };
  const queue = createAccountQueue(deps);
  return {
    messageWriter: createMessageWriter(deps, queue),
    settlements: createSettlementWriter(deps, queue),
    dueReceipts: createDueReceiptsWriter(deps, queue),
    peers,
    receiveForwarded: queue.receive,
  };
}
