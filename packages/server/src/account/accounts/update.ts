import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { type Actor, record } from "../audit/index.ts";
import { dailyQuotaOf } from "./daily-quota.ts";
import { showQuietHours } from "./quiet-hours.ts";
import { lockAccount, updateAccount } from "./sql.ts";

/** Changeable fields of an account. Omitted fields stay. */
export type AccountChanges = {
  readonly [K in (typeof FIELDS)[number]]?: AccountRow[K] | undefined;
};

const FIELDS = [
  "name",
  "status",
  "live_access",
  "rate_limit",
  "daily_message_quota",
  "phrase_opt_out",
  "smart_encoding",
  "quiet_hours",
  "opt_in_required",
  "redact_after_days",
] as const;

/** Changes an account and appends its event; a change without effect appends none. */
export async function changeAccount(
  deps: Base,
  tx: Tx,
  id: string,
  changes: AccountChanges,
  by: { readonly actor: Actor; readonly ip: string },
): Promise<AccountRow> {
  const [locked] = await tx.query<AccountRow>(lockAccount, [id]);
  const before = expect(locked, "the account is gone");
  const after = await writeAccount(tx, id, changes);
  const differing = FIELDS.filter((field) => before[field] !== after[field]);
  if (differing.length === 0) return after;
  await record(deps, tx, {
    shard: after.shard,
    accountId: after.id,
    action: "account.updated",
    actor: by.actor,
    targetId: toApiId("account", after.id),
    changes: Object.fromEntries(
      differing.map((field) => [
        field,
        { from: shown(deps, before, field), to: shown(deps, after, field) },
      ]),
    ),
    ip: by.ip,
  });
  await notify(tx, "longwave_cache", after.id);
  return after;
}

/** Writes the given fields and keeps the rest. */
export async function writeAccount(
  tx: Tx,
  id: string,
  changes: AccountChanges,
): Promise<AccountRow> {
  const [changed] = await tx.query<AccountRow>(updateAccount, [
    id,
    changes.status ?? null,
    changes.live_access ?? null,
    changes.rate_limit !== undefined,
    changes.rate_limit ?? null,
    changes.daily_message_quota ?? null,
    changes.phrase_opt_out ?? null,
    changes.smart_encoding ?? null,
    changes.quiet_hours !== undefined,
    changes.quiet_hours ?? null,
    changes.name ?? null,
    changes.daily_message_quota !== undefined,
    changes.opt_in_required ?? null,
    changes.redact_after_days !== undefined,
    changes.redact_after_days ?? null,
  ]);
  return expect(changed, "the account is gone");
}

function shown(
  { config }: Pick<Base, "config">,
  account: AccountRow,
  field: (typeof FIELDS)[number],
): unknown {
  if (field === "daily_message_quota") return dailyQuotaOf(config, account);
  return field === "quiet_hours" ? showQuietHours(account.quiet_hours) : account[field];
}
