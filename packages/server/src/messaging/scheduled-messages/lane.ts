import {
  type FailureCode,
  SCHEDULED_MESSAGE_MOVES,
  type ScheduledMessageStatus,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import {
  acceptDue,
  type DueOutcome,
  type OutboundDeps,
  type OutboundRequest,
  prepareDue,
  processDueRows,
  type Submission,
  UNPROCESSABLE,
  type WindowSlots,
} from "../outbound/index.ts";
import type { ScheduledRow } from "./scheduled-row.ts";
import { claimScheduled, finishScheduled, scheduledDue } from "./sql.ts";

const SCHEDULES_PER_CHUNK_MAX = 250;

type DueRow = ScheduledRow & {
  readonly account_name: string;
  readonly account_status: AccountRow["status"];
  readonly live_access: AccountRow["live_access"];
  readonly rate_limit: number | null;
  readonly daily_message_quota: number | null;
  readonly phrase_opt_out: AccountRow["phrase_opt_out"];
  readonly smart_encoding: boolean;
  readonly account_quiet_hours: number | null;
  readonly account_opt_in_required: boolean;
  readonly account_created_at: number;
};

interface Finish {
  readonly id: string;
  readonly status: ScheduledMessageStatus;
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
}

/** Sends due scheduled messages: repeats every check, then follows the path of any other message. */
export const scheduledLane: Lane<OutboundDeps> = {
  name: LANES.scheduled,
  nextDueAt: (deps) => earliestDue(deps, scheduledDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, scheduledDue))
      done += await sendChunk(deps, shard);
    return done;
  },
};

function sendChunk(deps: OutboundDeps, shard: number): Promise<number> {
  return processDueRows<DueRow>(deps, SCHEDULES_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimScheduled, [shard, new Date(deps.clock.now()), rowsMax]),
    process: (tx, due, slots) => sendDue(deps, tx, shard, due, slots),
    quarantine: (tx, schedule) =>
      finish(tx, shard, [finishOf(schedule, { message: null, failure: UNPROCESSABLE })]),
  });
}

/** Writes the messages and finishes their scheduled rows; returns the messages left to submit. */
async function sendDue(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  rows: readonly DueRow[],
  slots: WindowSlots,
): Promise<Submission[]> {
  if (rows.length === 0) return [];
  const due = await prepareDue(deps, tx, shard, rows.map(requestOf), slots);
  const options = { skipsOptedOut: false };
  const { outcomes, submissions } = await acceptDue(deps, tx, shard, due, slots, options);
  await finish(
    tx,
    shard,
    rows.map((row, index) => finishOf(row, outcomes[index] as DueOutcome)),
  );
  return submissions;
}

async function finish(tx: Tx, shard: number, finished: readonly Finish[]): Promise<void> {
  await tx.query(finishScheduled, [shard, JSON.stringify(finished)]);
}

function finishOf(schedule: DueRow, { message, failure }: DueOutcome): Finish {
  const { due, check_failed } = SCHEDULED_MESSAGE_MOVES;
  const status = failure === null ? due.to : check_failed.to;
  return { id: schedule.id, status, message_id: message?.row.id ?? null, failure_code: failure };
}

function requestOf(schedule: DueRow): OutboundRequest {
  return {
    account: accountOf(schedule),
    mode: schedule.mode,
    from: schedule.sender,
    to: schedule.to_number,
    body: schedule.body,
    customerId: schedule.customer_id,
    poolId: null,
    scheduledMessageId: schedule.id,
    expiresAtMs: expiryOf(schedule),
    quietHours: schedule.quiet_hours,
    metadata: schedule.metadata,
  };
}

/** Expiry in Unix milliseconds, counted from the scheduled time even if the message is late. */
function expiryOf({ scheduled_at, valid_for_seconds }: DueRow): number | null {
  return valid_for_seconds === null ? null : scheduled_at + valid_for_seconds * 1_000;
}

function accountOf(schedule: DueRow): AccountRow {
  return {
    id: schedule.account_id,
    shard: schedule.shard,
    name: schedule.account_name,
    status: schedule.account_status,
    live_access: schedule.live_access,
    rate_limit: schedule.rate_limit,
    daily_message_quota: schedule.daily_message_quota,
    phrase_opt_out: schedule.phrase_opt_out,
    smart_encoding: schedule.smart_encoding,
    quiet_hours: schedule.account_quiet_hours,
    opt_in_required: schedule.account_opt_in_required,
    redact_after_days: null,
    created_at: schedule.account_created_at,
  };
}
