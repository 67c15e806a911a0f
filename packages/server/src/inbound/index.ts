export { receiveText, simulateReply } from "./receive.ts";
export { takeInbound } from "./take.ts";
export { testInboundHandlers } from "./test-inbound.ts";
