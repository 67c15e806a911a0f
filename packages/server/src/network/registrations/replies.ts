import type { KeywordAction } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { repliesOf } from "./copy.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { findRegistrationRow } from "./sql.ts";

/** Keyword replies of a number that follows this registration, as its campaign files them. */
export async function registeredReplies(
  db: Queryable,
  owner: { readonly shard: number; readonly accountId: string },
  registrationId: string,
): Promise<(Readonly<Record<KeywordAction, string>> & { readonly business: string }) | null> {
  const values = [owner.shard, owner.accountId, registrationId];
  const [row] = await db.query<RegistrationRow>(findRegistrationRow, values);
  if (!row) return null;
  const { help, stop, start } = repliesOf(row);
  return { help, opt_out: stop, opt_in: start, business: row.business_name };
}
