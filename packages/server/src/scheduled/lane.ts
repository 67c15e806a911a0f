import { type FailureCode, Problem } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Carrier } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import type { HandoverDeps as Deps } from "../handover/deps.ts";
import type { MessageRow } from "../handover/index.ts";
import {
  acceptedRow,
  acceptIn,
  checkLiveSender,
  chooseSender,
  draftLive,
  draftSimulated,
  handOver,
  leavesForReal,
  type NewMessage,
  type Verdict,
  type Wanted,
} from "../handover/index.ts";
import { toApiId } from "../platform/ids.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
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
  readonly account_created_at: number;
};

interface Draft {
  readonly schedule: DueRow;
  readonly item: NewMessage;
  readonly carrier: Carrier | null;
}

interface Finish {
  readonly id: string;
  readonly status: "sent" | "failed";
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
}

/** Scheduled texts whose time has come: every check again, then the same way as any other text. */
export const scheduledLane: Lane<Deps> = {
  name: "scheduled_messages",
  nextDueAt: (deps) => earliestDue(deps, scheduledDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, scheduledDue))
      done += await sendChunk(deps, shard);
    return done;
  },
};

async function sendChunk(deps: Deps, shard: number): Promise<number> {
  const reserved: Carrier[] = [];
  const giveBack = () => {
    for (const carrier of reserved.splice(0)) carrier.release(1);
  };
  try {
    const { count, handOvers } = await deps.db.tx(async (tx) => {
      giveBack();
      const now = new Date(deps.clock.now());
      const due = await tx.query<DueRow>(claimScheduled, [shard, now, SCHEDULES_PER_CHUNK_MAX]);
      return { count: due.length, handOvers: await sendDue(deps, tx, shard, due, reserved) };
    });
    reserved.length = 0;
    await Promise.all(handOvers.map(({ row, carrier }) => handOver(deps, carrier, row, null)));
    return count;
  } finally {
    giveBack();
  }
}

/** Writes the messages and moves their schedules along; answers what is left to hand over. */
async function sendDue(
  deps: Deps,
  tx: Tx,
  shard: number,
  due: readonly DueRow[],
  reserved: Carrier[],
): Promise<{ row: MessageRow; carrier: Carrier }[]> {
  if (due.length === 0) return [];
  const drafts: Draft[] = [];
  const finished: Finish[] = [];
  for (const schedule of due) {
    const draft = await draftOf(deps, schedule);
    if (typeof draft === "string") finished.push(failure(schedule, draft));
    else drafts.push(draft);
  }
  for (const draft of drafts) if (draft.carrier) reserved.push(draft.carrier);
  const items = drafts.map((draft) => draft.item);
  const accepted = items.length === 0 ? [] : await acceptIn(deps, tx, shard, items);
  const handOvers: { row: MessageRow; carrier: Carrier }[] = [];
  for (const [index, result] of accepted.entries()) {
    const { schedule, item, carrier } = drafts[index] as Draft;
    finished.push(finishOf(schedule, item, result.verdict));
    if (carrier && result.verdict === "accepted") {
      handOvers.push({ row: acceptedRow(item, result), carrier });
    } else if (carrier) giveBackOne(reserved, carrier);
  }
  await tx.query(finishScheduled, [shard, JSON.stringify(finished)]);
  return handOvers;
}

function giveBackOne(reserved: Carrier[], carrier: Carrier): void {
  reserved.splice(reserved.indexOf(carrier), 1);
  carrier.release(1);
}

function finishOf(schedule: DueRow, item: NewMessage, verdict: Verdict): Finish {
  if (verdict !== "accepted") return failure(schedule, failureOf(verdict));
  return { id: schedule.id, status: "sent", message_id: item.row.id, failure_code: null };
}

/** The message a schedule becomes, or the failure that keeps it from becoming one. */
async function draftOf(deps: Deps, schedule: DueRow): Promise<Draft | FailureCode> {
  if (schedule.account_status === "suspended") return "sender_unavailable";
  const account = accountOf(schedule);
  let wanted: Wanted;
  try {
    wanted = await wantedOf(deps, schedule, account);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "sender_not_registered" ? "sender_not_registered" : "sender_unavailable";
  }
  if (!(await leavesForReal(deps, wanted))) {
    return { schedule, item: draftSimulated(deps, wanted), carrier: null };
  }
  const carrier = deps.carriers.reserve(wanted.from);
  const item = draftLive(deps, wanted, carrier?.name ?? null, schedule.mode === "test");
  return { schedule, item, carrier };
}

async function wantedOf(deps: Deps, schedule: DueRow, account: AccountRow): Promise<Wanted> {
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
  };
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
    created_at: schedule.account_created_at,
  };
}

function failureOf(verdict: Verdict): FailureCode {
  if (verdict === "recipient_opted_out" || verdict === "quota_exceeded") return verdict;
  return "insufficient_credits";
}

function failure(schedule: DueRow, code: FailureCode): Finish {
  return { id: schedule.id, status: "failed", message_id: null, failure_code: code };
}
