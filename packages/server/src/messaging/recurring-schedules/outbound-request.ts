import type { AccountRow } from "../../account/accounts/index.ts";
import type { OutboundRequest } from "../outbound/index.ts";
import type { ScheduleRow } from "./schedule-row.ts";

/** Unchecked outbound request of an occurrence. */
export function requestOf(account: AccountRow, schedule: ScheduleRow): OutboundRequest {
  return {
    account,
    mode: schedule.mode,
    from: schedule.sender,
    to: schedule.to_number,
    body: schedule.body,
    customerId: null,
    poolId: null,
    scheduleId: schedule.id,
  };
}
