import { Problem, parseTextable } from "@longwave/contract";
import { isVerified } from "../accounts/verified-numbers.ts";
import type { Base } from "../base.ts";
import type { HandoverDeps } from "./deps.ts";
import { findOptedOut } from "./sql.ts";
import type { Wanted } from "./stages.ts";

/** What is asked about whom a text goes to, before anything is stored. */

export function textableOf(deps: Base, input: string, param: string): string {
  const parsed = parseTextable(input, { extraRegions: deps.extraRegions });
  if (!parsed.ok) throw new Problem("invalid_request", `${param}: ${parsed.reason}`, { param });
  return parsed.e164;
}

/** Live texts leave; so does a sandbox text to the account's own phone, where a carrier can. */
export async function leavesForReal(deps: HandoverDeps, wanted: Wanted): Promise<boolean> {
  if (wanted.mode === "live") return true;
  if (!deps.carriers.serves(wanted.from)) return false;
  return isVerified(deps, wanted.account, wanted.to);
}

/** Whether consent blocks this text now: asked before anything is stored, judged again when it is. */
export async function isOptedOut(deps: HandoverDeps, wanted: Wanted): Promise<boolean> {
  const asked = {
    id: wanted.account.id,
    account_id: wanted.account.id,
    to_number: wanted.to,
    customer_id: wanted.customerId,
  };
  const rows = await deps.db.query(findOptedOut, [wanted.account.shard, JSON.stringify([asked])]);
  return rows.length > 0;
}
