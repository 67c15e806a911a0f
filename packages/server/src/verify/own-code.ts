import type { Mode } from "@longwave/contract";
import type { Tx } from "../db/database.ts";
import type { HandoverDeps } from "../handover/index.ts";
import { holdTargets, readStops, writeTargets } from "./sql.ts";
import { secondsToWaitOfAll, sendsInHour } from "./start/send-limits.ts";
import { canLeaveFrom, serviceNumberFor } from "./start/service-numbers.ts";
import { SERVICE_SHARD } from "./start/state.ts";

export { maskedText } from "./start/compose-code.ts";

/** The service's number that texts a code to this phone, and whether the text leaves. */
export function codeSender(
  deps: HandoverDeps,
  mode: Mode,
  phone: string,
): { readonly from: string; readonly leaves: boolean } | null {
  const from = serviceNumberFor(deps, mode, phone);
  return from === null ? null : { from, leaves: canLeaveFrom(deps, from) };
}

/** Whether the person has told the service's own numbers to stop. */
export async function hasStoppedService(tx: Tx, phone: string): Promise<boolean> {
  return (await tx.query(readStops, [SERVICE_SHARD, [phone]])).length > 0;
}

/**
 * Counts a text to a phone among all that the service texts it, whoever asks. Answers how many seconds
 * it has to wait instead when that is too many; null when the text may leave.
 */
export async function takeTurnOf(
  deps: Pick<HandoverDeps, "config">,
  tx: Tx,
  phone: string,
  nowMs: number,
): Promise<number | null> {
  const values = [SERVICE_SHARD, [phone], new Date(nowMs)];
  const [row] = await tx.query<{ sent_at_ms: number[] }>(holdTargets, values);
  const sentAtMs = row?.sent_at_ms ?? [];
  const perHour = deps.config.verifyRules.phone_per_hour_all_accounts;
  const wait = secondsToWaitOfAll(sentAtMs, perHour, nowMs);
  if (wait !== null) return wait;
  const sent_at_ms = [...sendsInHour(sentAtMs, nowMs), nowMs];
  await tx.query(writeTargets, [SERVICE_SHARD, JSON.stringify([{ phone, sent_at_ms }])]);
  return null;
}
