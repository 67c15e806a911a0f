import type { AccountRow } from "../api/caller.ts";
import type { Base } from "../base.ts";
import { statement } from "../db/statement.ts";
import { Refusal } from "../platform/assert.ts";
import { makeLink } from "./links.ts";
import { emailKey } from "./sign-in.ts";
import { countUsers, findUserByEmail } from "./sql.ts";

const firstAccount = statement(
  "first_account",
  "select id from accounts order by created_at, id limit 1",
);

/**
 * The link by which the first person comes in: they own the first account and act as the operator.
 * Null once there is somebody.
 */
export async function firstLink(deps: Base, origin: string): Promise<string | null> {
  return deps.db.tx(async (tx) => {
    const [row] = await tx.query<{ users: number }>(countUsers, []);
    if (row?.users !== 0) return null;
    const [account] = await tx.query<Pick<AccountRow, "id">>(firstAccount, []);
    const wanted = {
      kind: "first",
      accountId: account?.id ?? null,
      role: account ? "owner" : null,
    } as const;
    return (await makeLink(deps, tx, wanted, origin)).url;
  });
}

/** For `console-link`: a way in for the first person, or a new password for somebody; else a refusal. */
export async function consoleLink(
  deps: Base,
  origin: string,
  email: string | null,
): Promise<string> {
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
