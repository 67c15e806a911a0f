import {
  Problem,
  parseTimestamp,
  SCHEDULE_AHEAD_DAYS_MAX,
  type ScheduledMessage,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context } from "../../http/api/handler.ts";
import type { OutboundDeps, OutboundRequest } from "../outbound/index.ts";
import { isOptedOut } from "../outbound/index.ts";
import { presentScheduled, type ScheduledRow } from "./scheduled-row.ts";
import { insertScheduled } from "./sql.ts";

const DAY_MS = 86_400_000;

/** Send time and validity of a scheduled message. */
export interface SendLater {
  readonly scheduledAt: string | number;
  readonly validForSeconds: number | null;
}

/** Stores a scheduled message. Checks consent now; the lane repeats every check when the message is due. */
export async function scheduleMessage(
  context: Context<Principal, OutboundDeps>,
  request: OutboundRequest,
  from: string,
  later: SendLater,
): Promise<{ status: 201; body: ScheduledMessage }> {
  const { deps, caller } = context;
  const scheduledAtMs = scheduleTime(deps, later.scheduledAt);
  if (await isOptedOut(deps, request)) {
    throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
      param: "to",
    });
  }
  const now = deps.clock.now();
  const row: ScheduledRow = {
    shard: caller.account.shard,
    account_id: caller.account.id,
    id: request.id ?? deps.ids.makeAt(now),
    status: "pending",
    mode: caller.mode,
    to_number: request.to,
    sender: request.poolId === null ? request.from : from,
    body: request.body,
    customer_id: request.customerId,
    scheduled_at: scheduledAtMs,
    message_id: null,
    failure_code: null,
    created_at: now,
    canceled_at: null,
    valid_for_seconds: later.validForSeconds,
    quiet_hours: request.quietHours ?? null,
    metadata: request.metadata ?? null,
  };
  const answer = await context.transact(async (tx) => {
    await tx.query(insertScheduled, [
      row.shard,
      row.account_id,
      row.id,
      row.mode,
      row.to_number,
      row.sender,
      row.body,
      row.customer_id,
      new Date(scheduledAtMs),
      new Date(now),
      row.valid_for_seconds,
      row.quiet_hours,
      row.metadata === null ? null : JSON.stringify(row.metadata),
    ]);
    return { status: 201 as const, body: presentScheduled(row) };
  });
  deps.wakes.wake(LANES.scheduled);
  return answer;
}

/** Parses `scheduled_at`: in the future, at most SCHEDULE_AHEAD_DAYS_MAX days ahead. */
export function scheduleTime(deps: Base, scheduledAt: string | number): number {
  const ms = parseTimestamp(scheduledAt);
  const now = deps.clock.now();
  if (ms === null) {
    throw new Problem("invalid_request", `scheduled_at must be ${TIMESTAMP_FORM}.`, {
      param: "scheduled_at",
    });
  }
  if (ms <= now) {
    throw new Problem("invalid_request", "scheduled_at must be in the future.", {
      param: "scheduled_at",
    });
  }
  if (ms > now + SCHEDULE_AHEAD_DAYS_MAX * DAY_MS) {
    throw new Problem(
      "invalid_request",
      `scheduled_at must be at most ${SCHEDULE_AHEAD_DAYS_MAX} days ahead.`,
      {
        param: "scheduled_at",
      },
    );
  }
  return ms;
}
