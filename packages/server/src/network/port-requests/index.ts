export { portRequestHandlers } from "./handlers.ts";
export { openPortRequest, portablePhone } from "./open.ts";
export { findPortStandings, type PortStanding } from "./standings.ts";
