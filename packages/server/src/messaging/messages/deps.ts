import type { Base } from "../../core/base.ts";
import type { ModedCaller } from "../../http/api/modes.ts";

export interface MessageHandlersDeps extends Base {
  /** Refuses the id of a filter that names no batch of the caller. Injected from a higher layer. */
  readonly requireBatch: (caller: ModedCaller, apiId: string, param: string) => Promise<void>;
}
