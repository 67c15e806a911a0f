import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { TwilioDeps } from "./deps.ts";
import { findReplies } from "./sql.ts";

/** UUIDs, out of `ids`, of the messages that TwiML documents sent. */
export async function twimlReplies(
  deps: Pick<TwilioDeps, "db">,
  account: AccountRef,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await deps.db.query<{ id: string }>(findReplies, [account.shard, account.id, ids]);
  return new Set(rows.map(({ id }) => id));
}
