import type { HandoverDeps } from "../handover/index.ts";
import type { KeysDeps } from "../keys/deps.ts";

/** What the door needs besides what a text needs on its way out. */
export interface TwilioDeps extends HandoverDeps, KeysDeps {}
