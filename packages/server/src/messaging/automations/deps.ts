import type { HandoverDeps } from "../handover/index.ts";
import type { AutomationDirectory } from "./directory.ts";

export interface AutomationsDeps extends HandoverDeps {
  readonly automations: AutomationDirectory;
}
