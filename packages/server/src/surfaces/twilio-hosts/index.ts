export { createAuthority } from "./authority.ts";
export { keepAuthority } from "./authority-file.ts";
export { hostInstructions } from "./instructions.ts";
export { listenAsTwilio } from "./listen.ts";
