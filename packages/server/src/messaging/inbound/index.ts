export type { InboundDeps, ServiceText } from "./deps.ts";
export { inboundLane } from "./lane.ts";
export { receiveText, simulateReply } from "./receive.ts";
export { testInboundHandlers } from "./test-inbound.ts";
