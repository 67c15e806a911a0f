export type { InboundDeps, ServiceMessage } from "./deps.ts";
export { inboundLane } from "./lane.ts";
export { receiveMessage, simulateReply } from "./receive.ts";
export { testInboundHandlers } from "./test-inbound.ts";
