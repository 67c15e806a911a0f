import {
  AUTO_REPLY_SECONDS_MAX,
  type FailureCode,
  OUTCOME_UNKNOWN_SECONDS,
} from "@longwave/contract";
import {
  type Carrier,
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
  simulatedReceiptDueAt,
} from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { findSender } from "../numbers/index.ts";
import { earliestDue, shardsDueNow } from "../queue/due-shards.ts";
import type { Lane } from "../queue/lane.ts";
import type { HandoverDeps as Deps } from "./deps.ts";
import { runSteps } from "./follower.ts";
import { handOver } from "./hand-over.ts";
import type { MessageRow } from "./message-row.ts";
import { OUTCOME_NEVER_KNOWN, type Settlement, settleIn } from "./settle.ts";
import {
  claimDueMessages,
  findOptedOut,
  handOverAgain,
  lockAccounts,
  messagesDue,
  postponeMessages,
} from "./sql.ts";

const MESSAGES_PER_CHUNK_MAX = 500;
/** How long a message waits when its account is suspended, or when no link has a place for it. */
const SUSPENDED_WAIT_MS = 60_000;
const NO_PLACE_WAIT_MS = 200;

type DueRow = MessageRow & {
  readonly account_status: "active" | "suspended";
  readonly live_attempt: "open" | "unknown" | null;
};

/** What is to be done with each message of a chunk. */
interface Plan {
  readonly settlements: Settlement[];
  readonly handOvers: { readonly row: MessageRow; readonly carrier: Carrier }[];
  readonly suspended: string[];
  readonly withoutPlace: string[];
  /** They wait until somebody wakes them. */
  readonly held: string[];
}

/**
 * Messages whose next attempt, or whose decision after an unknown outcome, has come due. Every
 * check is made again in the transaction that commits the hand-over; the carrier is called after.
 */
export const dispatchLane: Lane<Deps> = {
  name: "messages",
  loops: 2,
  nextDueAt: (deps) => earliestDue(deps, messagesDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, messagesDue))
      done += await dispatchChunk(deps, shard);
    return done;
  },
};

async function dispatchChunk(deps: Deps, shard: number): Promise<number> {
  const reserved: Carrier[] = [];
  try {
    const { plan, count } = await deps.db.tx(async (tx) => {
      for (const carrier of reserved.splice(0)) carrier.release(1);
      const now = deps.clock.now();
      const rows = await tx.query<DueRow>(claimDueMessages, [
        shard,
        new Date(now),
        MESSAGES_PER_CHUNK_MAX,
      ]);
      const made = await planChunk(deps, tx, shard, rows, reserved, now);
      await writePlan(deps, tx, shard, made, now);
      return { plan: made, count: rows.length };
    });
    reserved.length = 0;
    await Promise.all(plan.handOvers.map(({ row, carrier }) => handOver(deps, carrier, row, null)));
    return count - plan.withoutPlace.length;
  } finally {
    for (const carrier of reserved) carrier.release(1);
  }
}

async function planChunk(
  deps: Deps,
  tx: Tx,
  shard: number,
  rows: readonly DueRow[],
  reserved: Carrier[],
  now: number,
): Promise<Plan> {
  const plan: Plan = { settlements: [], handOvers: [], suspended: [], withoutPlace: [], held: [] };
  const judged = await deps.follower.judge(tx, shard, rows);
  const optedOut = await optedOutAmong(tx, shard, rows);
  for (const row of rows) {
    const verdict = row.live_attempt === null ? judged.get(row.id) : undefined;
    if (verdict === "hold") {
      plan.held.push(row.id);
      continue;
    }
    if (verdict === "give_up") {
      plan.settlements.push(settlementOf(row, refusal("carrier_unavailable"), row.attempts));
      continue;
    }
    if (row.live_attempt === null && row.account_status === "suspended") {
      plan.suspended.push(row.id);
      continue;
    }
    const settled = await settledWithoutCarrier(deps, row, optedOut.has(row.id));
    if (settled) plan.settlements.push(settled);
    else planHandOver(deps, plan, row, reserved, now);
  }
  return plan;
}

/** What a message comes to without calling a carrier, or null when one is to be called. */
async function settledWithoutCarrier(
  deps: Deps,
  row: DueRow,
  isOptedOut: boolean,
): Promise<Settlement | null> {
  const settle = (outcome: SubmitOutcome, attempt: number) => settlementOf(row, outcome, attempt);
  const next = row.attempts + 1;
  if (row.live_attempt !== null) return settle(OUTCOME_NEVER_KNOWN, row.attempts);
  if (isOptedOut) return settle(refusal("recipient_opted_out"), row.attempts);
  if (isLateReply(deps, row)) return settle(refusal("expired"), row.attempts);
  if (!(await isStillOurs(deps, row))) return settle(refusal("sender_unavailable"), row.attempts);
  if (row.simulated) return settle(simulatedAnswer(deps, row, next), next);
  if (!deps.carriers.serves(row.from_number)) return settle(NO_CARRIER, next);
  return null;
}

function settlementOf(row: DueRow, outcome: SubmitOutcome, attempt: number): Settlement {
  return { row, attempt, carrier: row.carrier, outcome, claim: null };
}

function planHandOver(deps: Deps, plan: Plan, row: DueRow, reserved: Carrier[], now: number): void {
  const carrier = deps.carriers.reserve(row.from_number);
  if (!carrier) {
    plan.withoutPlace.push(row.id);
    return;
  }
  reserved.push(carrier);
  // As it is stored from now on: without an answer, what comes next is the decision.
  const next_attempt_at = now + OUTCOME_UNKNOWN_SECONDS * 1_000;
  const handed = { ...row, attempts: row.attempts + 1, next_attempt_at };
  plan.handOvers.push({ row: handed, carrier });
}

async function writePlan(
  deps: Deps,
  tx: Tx,
  shard: number,
  plan: Plan,
  now: number,
): Promise<void> {
  if (plan.settlements.length > 0) await settleIn(deps, tx, shard, plan.settlements);
  if (plan.handOvers.length > 0) {
    const items = plan.handOvers.map(({ row, carrier }) => ({
      account_id: row.account_id,
      id: row.id,
      attempt: row.attempts,
      carrier: carrier.name,
    }));
    const decidedAt = new Date(now + OUTCOME_UNKNOWN_SECONDS * 1_000);
    await tx.query(handOverAgain, [shard, JSON.stringify(items), new Date(now), decidedAt]);
    const rows = plan.handOvers.map(({ row }) => row);
    await runSteps(tx, deps.follower.follow(shard, rows, now));
  }
  await postpone(tx, shard, plan.held, null);
  await postpone(tx, shard, plan.suspended, now + SUSPENDED_WAIT_MS);
  await postpone(tx, shard, plan.withoutPlace, now + NO_PLACE_WAIT_MS);
}

async function postpone(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  untilMs: number | null,
): Promise<void> {
  const until = untilMs === null ? null : new Date(untilMs);
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, until]);
}

async function optedOutAmong(tx: Tx, shard: number, rows: readonly DueRow[]): Promise<Set<string>> {
  const asked = rows.filter((row) => row.live_attempt === null);
  if (asked.length === 0) return new Set();
  const items = asked.map(({ id, account_id, to_number, customer_id, auto_reply, created_at }) => ({
    id,
    account_id,
    to_number,
    customer_id,
    replied_at: auto_reply ? new Date(created_at) : null,
  }));
  // Whoever opts somebody out holds the same lock: no text is handed over after that is committed.
  const accounts = [...new Set(asked.map((row) => row.account_id))];
  await tx.query(lockAccounts, [shard, accounts]);
  const found = await tx.query<{ id: string }>(findOptedOut, [shard, JSON.stringify(items)]);
  return new Set(found.map((row) => row.id));
}

/** An answer to a keyword that comes late puzzles more than it tells. */
function isLateReply(deps: Deps, row: MessageRow): boolean {
  return row.auto_reply && deps.clock.now() - row.created_at > AUTO_REPLY_SECONDS_MAX * 1_000;
}

/** A number that was released, or fell into arrears, after the message was accepted sends no more. */
async function isStillOurs(deps: Deps, row: MessageRow): Promise<boolean> {
  const number = await findSender(deps, { id: row.account_id, shard: row.shard }, row.from_number);
  return number !== null && !number.unpaid;
}

function refusal(failure: FailureCode): SubmitOutcome {
  return { kind: "refused", isTemporary: false, carrierCode: null, failure };
}

/** Without a carrier for its number a text is retried like any temporary failure. */
export const NO_CARRIER: SubmitOutcome = {
  kind: "refused",
  isTemporary: true,
  carrierCode: "no_carrier",
};

function simulatedAnswer(deps: Deps, row: MessageRow, attempt: number): SubmitOutcome {
  const answer = simulatedHandOver(row.to_number, attempt);
  if (answer === "accept") {
    const receiptDueAtMs = simulatedReceiptDueAt(row.to_number, deps.clock.now());
    return { kind: "accepted", references: [], receiptDueAtMs };
  }
  const isTemporary = answer === "temporary";
  const carrierCode = simulatedCarrierCode(isTemporary ? "temporary" : "carrier_rejected");
  return { kind: "refused", isTemporary, carrierCode };
}
