import { createAccount } from "../accounts/index.ts";
import { statement } from "../db/statement.ts";
import type { Deps } from "../deps.ts";
import { createKey } from "../keys/index.ts";
import type { DataFolder } from "./data-folder.ts";

const countAccounts = statement("count_accounts", "select count(*)::int as accounts from accounts");

/** On the first run makes an account with a key, and prints how to use it. */
export async function welcome(
  deps: Deps,
  folder: DataFolder,
  url: string,
  print: (line: string) => void,
): Promise<void> {
  const [row] = await deps.db.query<{ accounts: number }>(countAccounts, []);
  print(`Longwave is ready at ${url}`);
  if ((row?.accounts ?? 0) > 0) return;
  const key = await deps.db.tx(async (tx) => {
    const account = await createAccount(deps, tx, "Default");
    return (await createKey(deps, tx, account, { mode: "test", name: "First key", scopes: null }))
      .key;
  });
  print("");
  print(`  Test key        ${key}   (shown only now)`);
  print(`  Operator token  in ${folder.path}/operator-token`);
  print("");
  print("  Try it:");
  print("");
  print(`  curl ${url}/v1/account -H "Authorization: Bearer ${key}"`);
  print("");
}
