import type { OutboundDeps } from "../outbound/index.ts";
import type { AutomationDirectory } from "./directory.ts";

export interface AutomationsDeps extends OutboundDeps {
  readonly automations: AutomationDirectory;
}
