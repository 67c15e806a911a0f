import type { KeywordAction } from "@longwave/contract";
import type { Queryable } from "../db/database.ts";
import { repliesOf } from "./copy.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { findRegistrationRow } from "./sql.ts";

/** What a number that follows this registration answers to keywords, as its campaign files it. */
export async function registeredReplies(
  db: Queryable,
  owner: { readonly shard: number; readonly accountId: string },
  registrationId: string,
): Promise<Readonly<Record<KeywordAction, string>> | null> {
  const values = [owner.shard, owner.accountId, registrationId];
  const [row] = await db.query<RegistrationRow>(findRegistrationRow, values);
  if (!row) return null;
  const { help, stop, start } = repliesOf(row);
  return { help, opt_out: stop, opt_in: start };
}
