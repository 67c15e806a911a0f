import {
  type FailureCode,
  Problem,
  SCHEDULED_MESSAGE_MOVES,
  type ScheduledMessageStatus,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Tx } from "../db/database.ts";
import {
  acceptIn,
  type Composed,
  checkLiveSender,
  chooseSender,
  compose,
  dueRowsInHalves,
  type HandOver,
  type HandoverDeps,
  handOversOf,
  NOT_DEALT_WITH,
  type Places,
  type Verdict,
  type Wanted,
} from "../handover/index.ts";
import { assert } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { ScheduledRow } from "./schedule.ts";
import { claimScheduled, finishScheduled, scheduledDue } from "./sql.ts";

const SCHEDULES_PER_CHUNK_MAX = 250;

type DueRow = ScheduledRow & {
  readonly account_name: string;
  readonly account_status: AccountRow["status"];
  readonly live_access: AccountRow["live_access"];
  readonly rate_limit: number | null;
  readonly daily_message_quota: number;
  readonly phrase_opt_out: AccountRow["phrase_opt_out"];
  readonly smart_encoding: boolean;
  readonly account_quiet_hours: number | null;
  readonly account_created_at: number;
};

/** A schedule and the message it becomes. */
interface Sendable {
  readonly schedule: DueRow;
  readonly text: Composed;
}

interface Finish {
  readonly id: string;
  readonly status: ScheduledMessageStatus;
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
}

/** Scheduled texts whose time has come: every check again, then the same way as any other text. */
export const scheduledLane: Lane<HandoverDeps> = {
  name: LANES.scheduled,
  nextDueAt: (deps) => earliestDue(deps, scheduledDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, scheduledDue))
      done += await sendChunk(deps, shard);
    return done;
  },
};

function sendChunk(deps: HandoverDeps, shard: number): Promise<number> {
  return dueRowsInHalves<DueRow>(deps, SCHEDULES_PER_CHUNK_MAX, {
    claim: (tx, rowsMax) => tx.query(claimScheduled, [shard, new Date(deps.clock.now()), rowsMax]),
    dealWith: (tx, due, places) => sendDue(deps, tx, shard, due, places),
    fail: (tx, schedule) => finish(tx, shard, [failure(schedule, NOT_DEALT_WITH)]),
  });
}

/** Writes the messages and moves their schedules along; answers what is left to hand over. */
async function sendDue(
  deps: HandoverDeps,
  tx: Tx,
  shard: number,
  due: readonly DueRow[],
  places: Places,
): Promise<HandOver[]> {
  if (due.length === 0) return [];
  const composed: Sendable[] = [];
  const finished: Finish[] = [];
  for (const schedule of due) {
    const wanted = await wantedOf(deps, schedule);
    if (typeof wanted === "string") finished.push(failure(schedule, wanted));
    else composed.push({ schedule, text: await compose(deps, wanted, places) });
  }
  const texts = composed.map(({ text }) => text);
  const accepted = texts.length === 0 ? [] : await acceptIn(deps, tx, shard, texts);
  for (const [index, { verdict }] of accepted.entries()) {
    const { schedule, text } = composed[index] as Sendable;
    finished.push(finishOf(schedule, text, verdict));
  }
  await finish(tx, shard, finished);
  return handOversOf(texts, accepted, places);
}

async function finish(tx: Tx, shard: number, finished: readonly Finish[]): Promise<void> {
  await tx.query(finishScheduled, [shard, JSON.stringify(finished)]);
}

function finishOf(schedule: DueRow, text: Composed, verdict: Verdict): Finish {
  if (verdict !== "accepted") return failure(schedule, failureOf(verdict));
  return {
    id: schedule.id,
    status: SCHEDULED_MESSAGE_MOVES.due.to,
    message_id: text.row.id,
    failure_code: null,
  };
}

/** The text a schedule stands for, or the failure that keeps it from being sent. */
async function wantedOf(deps: HandoverDeps, schedule: DueRow): Promise<Wanted | FailureCode> {
  if (schedule.account_status === "suspended") return "sender_unavailable";
  const expiresAtMs = expiryOf(schedule);
  if (expiresAtMs !== null && expiresAtMs <= deps.clock.now()) return "expired";
  try {
    return await checkedOf(deps, schedule, accountOf(schedule));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "sender_not_registered" ? "sender_not_registered" : "sender_unavailable";
  }
}

/** The same, with every check of a single send made again. */
async function checkedOf(
  deps: HandoverDeps,
  schedule: DueRow,
  account: AccountRow,
): Promise<Wanted> {
  const sender = await chooseSender(deps, {
    account,
    mode: schedule.mode,
    from: schedule.sender,
    to: schedule.to_number,
    customerApiId:
      schedule.customer_id === null ? undefined : toApiId("customer", schedule.customer_id),
    remember: true,
  });
  if (schedule.mode === "live")
    await checkLiveSender(deps, account, sender.number, schedule.to_number);
  return {
    account,
    mode: schedule.mode,
    from: sender.number.phone_number,
    to: schedule.to_number,
    body: schedule.body,
    customerId: sender.customerId,
    poolId: sender.poolId,
    scheduledMessageId: schedule.id,
    expiresAtMs: expiryOf(schedule),
    quietHours: schedule.quiet_hours,
  };
}

/** Counted from the time it was to leave, also when that was long ago. */
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
    created_at: schedule.account_created_at,
  };
}

function failureOf(verdict: Exclude<Verdict, "accepted">): FailureCode {
  assert(verdict !== "duplicate", "a scheduled text claims no key");
  return verdict;
}

function failure(schedule: DueRow, code: FailureCode): Finish {
  return {
    id: schedule.id,
    status: SCHEDULED_MESSAGE_MOVES.check_failed.to,
    message_id: null,
    failure_code: code,
  };
}
