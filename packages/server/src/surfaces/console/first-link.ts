import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { lockInstallation } from "../../core/installation.ts";
import { Refusal } from "../../core/platform/assert.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { makeLink, ownOrigin } from "./links.ts";
import { emailKey } from "./sign-in.ts";
import { consumeFirstLinks, countUsers, findUserByEmail } from "./sql.ts";

const firstAccount = statement(
  "first_account",
  "select id from accounts order by created_at, id limit 1",
);

/**
 * First-run link: its user becomes owner of the first account and operator. It invalidates earlier first-run
 * links. Null once a user exists.
 */
export async function firstLink(deps: Base, origin: string): Promise<string | null> {
  return deps.db.tx(async (tx) => {
    await tx.query(lockInstallation, []);
    const [row] = await tx.query<{ users: number }>(countUsers, []);
    if (row?.users !== 0) return null;
    await tx.query(consumeFirstLinks, [new Date(deps.clock.now())]);
    const [account] = await tx.query<Pick<AccountRow, "id">>(firstAccount, []);
    const link = {
      kind: "first",
      accountId: account?.id ?? null,
      role: account ? "owner" : null,
    } as const;
    return (await makeLink(deps, tx, link, origin)).url;
  });
}

/**
 * For the `console-link` command: a first-run link, or a reset link for an existing user. Refuses otherwise.
 */
export async function consoleLink(deps: Base, email: string | null): Promise<string> {
  const origin = ownOrigin(deps.config);
  if (email === null) {
    const link = await firstLink(deps, origin);
    if (link !== null) return link;
    throw new Refusal(
      "Somebody can sign in already. Name them: console-link --email ada@example.com",
    );
  }
  return deps.db.tx(async (tx) => {
    const [user] = await tx.query<{ id: string; email: string }>(findUserByEmail, [
      emailKey(email),
    ]);
    if (!user) throw new Refusal(`Nobody signs in with ${email}.`);
    return (await makeLink(deps, tx, { kind: "reset", email: user.email, userId: user.id }, origin))
      .url;
  });
}
