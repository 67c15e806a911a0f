export type { RegistrationsDeps } from "./deps.ts";
export { registrationHandlers } from "./handlers.ts";
export { fileTask } from "./registry/file-task.ts";
export { createRegistryLinks } from "./registry/links.ts";
export { registryOf } from "./registry/registries.ts";
export type { Filing, Registry } from "./registry/registry.ts";
export { registeredReplies } from "./replies.ts";
export { registrationStates } from "./states.ts";
export { createWebsiteChecker, type WebsiteChecker } from "./website/checker.ts";
