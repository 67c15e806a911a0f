export type { RegistrationsDeps } from "./deps.ts";
export { registrationHandlers } from "./handlers.ts";
export { registrationStandings } from "./standings.ts";
export { createWebsiteChecker, type WebsiteChecker } from "./website/checker.ts";
