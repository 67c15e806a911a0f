export { RESTORE_GUARD_PATH, refuseWhileGuarded, restoreGuardHandlers } from "./handlers.ts";
