import { Problem, parseTextable } from "@longwave/contract";
import { record } from "../audit/index.ts";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { type Changer, findLiveHolder } from "../numbers/index.ts";
import { toApiId } from "../platform/ids.ts";
import type { PortRequestRow } from "./port-request-row.ts";
import { insertPortRequest } from "./sql.ts";

export interface WantedPort {
  /** In E.164, as `portablePhone` gives it. */
  readonly phone: string;
  readonly provider: string;
  /** The pools (UUIDs) that the number joins when it has come over. */
  readonly poolIds: readonly string[];
}

/** A number that can be ported, in E.164, or why it cannot be. */
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

/** Asks for a number to be ported to an account; null while another request for it is open. */
export async function openPortRequest(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  { phone, provider, poolIds }: WantedPort,
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

/** As the operator asks for it: what stands in the way is told. */
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
  const wanted = { phone, provider: given.provider, poolIds: [] };
  const row = await openPortRequest(deps, tx, account, wanted, changer);
  if (row) return row;
  throw new Problem("invalid_state", `There is an open port request for ${phone} already.`, {
    param: "phone_number",
  });
}
