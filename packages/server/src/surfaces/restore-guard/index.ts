export { checkDatabaseIdentity, holdByHand } from "./check-database-identity.ts";
export { refuseWhileGuarded, restoreGuardHandlers } from "./handlers.ts";
export { startHeartbeat } from "./heartbeat.ts";
export { waitForRelease } from "./wait-for-release.ts";
