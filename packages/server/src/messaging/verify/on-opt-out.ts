import { matchKeyword, normalizePhone } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isServiceNumber } from "../../network/carriers/index.ts";
import type { ServiceMessage } from "../inbound/index.ts";
import { liftStop, recordStop } from "./sql.ts";
import { SERVICE_SHARD } from "./start/state.ts";

/** Records STOP and START of a phone towards the service's own numbers; after a STOP they send it no code. */
export async function onServiceOptOut(deps: Base, tx: Tx, message: ServiceMessage): Promise<void> {
  const phone = normalizePhone(message.from);
  if (phone === null || !isServiceNumber(deps, message.to)) return;
  const match = matchKeyword(message.body, { optedOut: true });
  if (match?.action === "opt_out") {
    await tx.query(recordStop, [SERVICE_SHARD, phone, new Date(deps.clock.now())]);
  } else if (match?.action === "opt_in") {
    await tx.query(liftStop, [SERVICE_SHARD, phone]);
  }
}
