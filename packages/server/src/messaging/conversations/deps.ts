import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";

export interface ConversationsDeps extends Base {
  /** Names of those of these users (UUIDs) that are members of the account. Injected by a layer above. */
  readonly memberNames: (
    db: Queryable,
    accountId: string,
    userIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string | null>>;
}
