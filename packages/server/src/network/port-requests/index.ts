export { portRequestHandlers } from "./handlers.ts";
export { openPortRequest, portablePhone } from "./open.ts";
export { findPortSummaries, type PortSummary } from "./summary.ts";
