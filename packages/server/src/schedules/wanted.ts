import { type FailureCode, Problem } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import {
  checkLiveSender,
  chooseSender,
  type HandoverDeps,
  type Wanted,
} from "../handover/index.ts";
import type { ScheduleRow } from "./schedule-row.ts";

/** The text of an occurrence, or the failure of a sender that cannot send it. */
export async function wantedOf(
  deps: HandoverDeps,
  account: AccountRow,
  schedule: ScheduleRow,
): Promise<Wanted | FailureCode> {
  if (account.status === "suspended") return "sender_unavailable";
  const { mode, sender: from, to_number: to, body } = schedule;
  try {
    const question = { account, mode, from, to, customerApiId: undefined, remember: true };
    const sender = await chooseSender(deps, question);
    if (mode === "live") await checkLiveSender(deps, account, sender.number, to);
    const { number, customerId, poolId } = sender;
    const scheduleId = schedule.id;
    return { account, mode, from: number.phone_number, to, body, customerId, poolId, scheduleId };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "sender_not_registered" ? "sender_not_registered" : "sender_unavailable";
  }
}
