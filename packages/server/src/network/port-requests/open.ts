import { Problem, parseTextable } from "@longwave/contract";
import { record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { type Changer, findLiveHolder } from "../numbers/index.ts";
import type { PortRequestRow } from "./port-request-row.ts";
import { insertPortRequest } from "./sql.ts";

export interface PortInput {
  /** In E.164, as `portablePhone` returns it. */
  readonly phone: string;
  readonly provider: string;
  /** Pools (UUIDs) that the number joins once ported. */
  readonly poolIds: readonly string[];
}

/** A portable number in E.164, or the reason why it is not portable. */
export function portablePhone(
  deps: Pick<Base, "extraRegions">,
  given: string,
): { readonly phone: string } | { readonly reason: string } {
  const parsed = parseTextable(given, { extraRegions: deps.extraRegions });
  if (!parsed.ok) return { reason: parsed.reason };
  if (parsed.type === "test") {
    return { reason: `${parsed.e164} is a number of the sandbox, which nobody can port.` };
  }
  return { phone: parsed.e164 };
}

/** Opens a port request for an account's number; null while another one is open. */
export async function openPortRequest(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  { phone, provider, poolIds }: PortInput,
  changer: Changer,
): Promise<PortRequestRow | null> {
  const now = deps.clock.now();
  const [row] = await tx.query<PortRequestRow>(insertPortRequest, [
    deps.ids.makeAt(now),
    account.id,
    account.shard,
    phone,
    provider,
    poolIds,
    new Date(now),
  ]);
  if (!row) return null;
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action: "port_request.created",
    actor: changer.actor,
    targetId: toApiId("port_request", row.id),
    changes: { phone_number: phone, provider },
    ip: changer.ip,
  });
  return row;
}

/** Opens a port request for the operator, and throws the reason when it cannot. */
export async function requirePortRequest(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  given: { readonly phone_number: string; readonly provider: string },
  changer: Changer,
): Promise<PortRequestRow> {
  const portable = portablePhone(deps, given.phone_number);
  if ("reason" in portable) {
    throw new Problem("invalid_request", portable.reason, { param: "phone_number" });
  }
  const { phone } = portable;
  if ((await findLiveHolder(tx, phone)) !== null) {
    throw new Problem("number_unavailable", `${phone} is a live number of this service already.`, {
      param: "phone_number",
    });
  }
  const input = { phone, provider: given.provider, poolIds: [] };
  const row = await openPortRequest(deps, tx, account, input, changer);
  if (row) return row;
  throw new Problem("invalid_state", `There is an open port request for ${phone} already.`, {
    param: "phone_number",
  });
}
