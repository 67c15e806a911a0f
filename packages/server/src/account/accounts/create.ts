import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { AccountRow } from "../../http/api/caller.ts";

import { insertAccount, insertCounters } from "./sql.ts";

/** Creates an account, on a random shard of the installation. */
export async function createAccount(deps: Base, tx: Tx, name: string): Promise<AccountRow> {
  const createdAtMs = deps.clock.now();
  const account: AccountRow = {
    id: deps.ids.makeAt(createdAtMs),
    shard: deps.random.below(deps.shards),
    name,
    status: "active",
    live_access: "none",
    rate_limit: null,
    daily_message_quota: null,
    phrase_opt_out: "opt_out",
    smart_encoding: false,
    quiet_hours: null,
    opt_in_required: false,
    redact_after_days: null,
    created_at: createdAtMs,
  };
  await tx.query(insertAccount, [account.id, account.shard, name, new Date(createdAtMs)]);
  await tx.query(insertCounters, [account.shard, account.id]);
  return account;
}
