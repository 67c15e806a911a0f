import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { type Actor, record } from "../../account/audit/index.ts";
import { createKey } from "../../account/keys/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { lockInstallation } from "../../core/installation.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { writePrivate } from "../../core/platform/whole-file.ts";
import { grantFirstNumber } from "../../network/numbers/index.ts";
import type { Deps } from "../deps.ts";
import type { DataFolder } from "./data-folder.ts";

/** Account, key and number of the first run: enough for a first call. */
export interface FirstRun {
  readonly accountId: string;
  readonly testKey: string;
  readonly testNumber: string;
}

const hasAccounts = statement(
  "has_accounts",
  "select exists (select from accounts) as has_accounts",
);

/** Creates the first account with key and number; null if accounts exist. */
export async function firstRun(deps: Deps, folder: DataFolder): Promise<FirstRun | null> {
  if (await isInUse(deps)) return null;
  return deps.db.tx(async (tx) => {
    await tx.query(lockInstallation, []);
    const [row] = await tx.query<{ has_accounts: boolean }>(hasAccounts, []);
    if (row?.has_accounts) return null;
    const account = await createAccount(deps, tx, "Default");
    const keyOptions = { mode: "test", name: "First key", scopes: null } as const;
    const { key, id: keyId } = await createKey(deps, tx, account, keyOptions);
    await appendEvents(deps, tx, account, { keyId, ...keyOptions });
    const made: FirstRun = {
      accountId: toApiId("account", account.id),
      testKey: expect(key, "a minted key has no text"),
      testNumber: await grantFirstNumber(deps, tx, account),
    };
    // Written before the commit: a crash in between leaves a file that the next start replaces, never an
    // account without a known key.
    await keep(folder, made);
    return made;
  });
}

/** No request created the account and key, so the audit log names the source. */
async function appendEvents(
  deps: Deps,
  tx: Tx,
  account: AccountRow,
  { keyId, ...key }: { keyId: string; mode: string; name: string; scopes: null },
): Promise<void> {
  const actor: Actor = { type: "system", id: null, name: "first run" };
  const by = { shard: account.shard, accountId: account.id, actor, ip: null };
  await record(deps, tx, {
    ...by,
    action: "account.created",
    targetId: toApiId("account", account.id),
    changes: { name: account.name },
  });
  await record(deps, tx, { ...by, action: "api_key.created", targetId: keyId, changes: key });
}

async function isInUse(deps: Deps): Promise<boolean> {
  const [row] = await deps.db.query<{ has_accounts: boolean }>(hasAccounts, []);
  return row?.has_accounts === true;
}

async function keep(folder: DataFolder, made: FirstRun): Promise<void> {
  const { accountId: account_id, testKey: test_key, testNumber: test_number } = made;
  const text = JSON.stringify({ account_id, test_key, test_number }, null, 2);
  await writePrivate(folder.firstRunFile, `${text}\n`);
}
