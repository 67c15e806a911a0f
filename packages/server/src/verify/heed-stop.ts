import { matchKeyword, normalizePhone } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import type { ServiceText } from "../inbound/index.ts";
import { liftStop, recordStop } from "./sql.ts";
import { isServiceNumber } from "./start/service-numbers.ts";
import { SERVICE_SHARD } from "./start/state.ts";

/** Whoever answers a code with STOP gets none from the service's own numbers until a START. */
export async function heedServiceText(deps: Base, tx: Tx, text: ServiceText): Promise<void> {
  const phone = normalizePhone(text.from);
  if (phone === null || !isServiceNumber(deps, text.to)) return;
  const match = matchKeyword(text.body, { optedOut: true });
  if (match?.action === "opt_out") {
    await tx.query(recordStop, [SERVICE_SHARD, phone, new Date(deps.clock.now())]);
  } else if (match?.action === "opt_in") {
    await tx.query(liftStop, [SERVICE_SHARD, phone]);
  }
}
