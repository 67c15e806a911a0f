import { billingAfter, type FailureCode, MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import { monthOf } from "../../core/platform/clock.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import type { SubmitOutcome } from "../../network/carriers/carrier.ts";
import {
  capAtExpiry,
  failedData,
  type MessageRow,
  OUTCOME_COLUMNS,
  type PartReference,
  REFERENCE_COLUMNS,
  retryDelayMsAfter,
  SETTLED_COLUMNS,
  type Settled,
  type SettleItem,
  type Settlement,
  sentData,
  settleAccepted,
  settleMessages,
  unansweredTimeoutMs,
  wakeWhenDue,
} from "../messages/index.ts";
import { onlyAccount } from "./accept.ts";
import { createAccountWriter } from "./account-writer.ts";
import { type MessageFollowers, runSteps } from "./follower.ts";
import { INBOX_SHARD } from "./sql.ts";

/** Dependencies of settling. */
type SettleDeps = Pick<QueueDeps, "clock" | "ids" | "wakes"> & {
  readonly follower: MessageFollowers;
};

/** Stores outcomes; `add` resolves with the message after the settlement. */
export type SettlementWriter = Group<Settlement, Settled>;

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 20_000;
/** Retry delay of a message that did not leave: its bind is gone or closing. */
const NOT_SENT_WAIT_MS = 200;

/**
 * Stores carriers' answers with group commit.
 *
 * A group waits for the locks of all its accounts. Outcomes of an account whose own calls hold its lock therefore
 * go through the account writer.
 */
export function createSettlementWriter(
  deps: SettleDeps & Pick<QueueDeps, "db" | "metrics" | "transactionSlots">,
): SettlementWriter {
  const sharedGroup = createSharedGroup(deps);
  const accountWriter = createAccountWriter<Settlement, Settled>({
    db: deps.db,
    rowOf: ({ row }) => row,
    write: (tx, shard, items) => settleIn(deps, tx, shard, items),
  });
  return {
    add: (item) =>
      deps.transactionSlots.isFull(item.row.account_id)
        ? accountWriter.add(item)
        : sharedGroup.add(item),
    async drain() {
      await Promise.all([sharedGroup.drain(), accountWriter.drain()]);
    },
  };
}

function createSharedGroup(deps: SettleDeps & Pick<Base, "db" | "metrics">): SettlementWriter {
  return createGroup<Settlement, Settled>({
    meter: deps.metrics.group("settlements"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const settled: Settled[] = new Array(items.length).fill(null);
      for (const shard of new Set(items.map((item) => item.row.shard))) {
        const indexes = [...items.keys()].filter((index) => items[index]?.row.shard === shard);
        const group = indexes.map((index) => items[index] as Settlement);
        const written = await settleGroup(deps, shard, group);
        indexes.forEach((index, position) => {
          settled[index] = written[position] as Settled;
        });
      }
      return settled;
    },
  });
}

/** Uses one round trip, unless a message has a follower that reads before it writes. */
async function settleGroup(
  deps: SettleDeps & Pick<Base, "db">,
  shard: number,
  items: readonly Settlement[],
): Promise<Settled[]> {
  if (items.some((item) => deps.follower.hasMoveHandler(item.row))) {
    return deps.db.tx((tx) => settleIn(deps, tx, shard, items));
  }
  const { lock, settle, after, follow } = settleSteps(deps, shard, items);
  const accountId = onlyAccount(items.map(({ row }) => row.account_id));
  const results = await deps.db.execPipelined([...lock, settle, ...follow], { accountId });
  return settledOf(after, results[lock.length] as SettleRow[]);
}

/** Settles in the caller's transaction. */
export async function settleIn(
  deps: SettleDeps,
  tx: Tx,
  shard: number,
  items: readonly Settlement[],
): Promise<Settled[]> {
  const { lock, settle, after, follow } = settleSteps(deps, shard, items);
  await runSteps(tx, lock);
  const settled = settledOf(after, await tx.query<SettleRow>(settle.statement, settle.values));
  await runSteps(tx, follow);
  const moved = settled.filter((row) => row !== null && deps.follower.hasMoveHandler(row));
  if (moved.length > 0) await deps.follower.onMoved(tx, shard, moved as MessageRow[]);
  return settled;
}

interface SettleRow {
  /** Item numbers, from 1. */
  readonly moved: readonly number[] | null;
}

function settledOf(after: readonly MessageRow[], [row]: readonly SettleRow[]): Settled[] {
  const settled: Settled[] = after.map(() => null);
  for (const number of row?.moved ?? []) settled[number - 1] = after[number - 1] as MessageRow;
  return settled;
}

interface SettleSteps {
  readonly lock: readonly Step[];
  readonly settle: Step;
  readonly follow: readonly Step[];
  /** Each message as the settlement leaves it, if it moves. */
  readonly after: readonly MessageRow[];
}

function settleSteps(
  deps: SettleDeps,
  shard: number,
  settlements: readonly Settlement[],
): SettleSteps {
  const now = deps.clock.now();
  const items = settlements.map((settlement) => itemOf(deps, settlement, now));
  const after = items.map((item) => item.after);
  wakeWhenDue(
    deps.wakes,
    items.map((item) => ({
      receiptDueAt: item.receiptDueAt,
      attemptDueAt: item.after.next_attempt_at,
    })),
  );
  return {
    after,
    lock: deps.follower.lock(shard, after),
    settle: settleStep(shard, items, now),
    follow: deps.follower.follow(shard, after, now),
  };
}

function itemOf(deps: Pick<Base, "ids">, settlement: Settlement, now: number): SettleItem {
  const after = rowAfter(settlement, now);
  const { outcome, claim } = settlement;
  const event = eventOf(after);
  const body = after.status === "failed" ? null : (claim?.bodyOf?.(after) ?? null);
  return {
    settlement,
    after,
    outcome: attemptOutcome(outcome, after),
    receiptDueAt: outcome.kind === "accepted" ? (outcome.receiptDueAtMs ?? null) : null,
    event: event && { id: deps.ids.makeAt(now), ...event },
    answer: body === null ? null : { status: statusCodeOf(after), body },
  };
}

function settleStep(shard: number, items: readonly SettleItem[], now: number): Step {
  const accounts = new Set<string>();
  const parts: PartReference[] = [];
  let [first = "", last = ""] = [items[0]?.after.id, items[0]?.after.id];
  for (const [index, { after, settlement }] of items.entries()) {
    accounts.add(after.account_id);
    if (after.id < first) first = after.id;
    if (after.id > last) last = after.id;
    const { outcome, carrier } = settlement;
    if (outcome.kind !== "accepted" || carrier === null) continue;
    outcome.references.forEach((reference, part) => {
      parts.push({ item: index + 1, reference, segment: part + 1 });
    });
  }
  const values = [
    shard,
    INBOX_SHARD,
    new Date(now),
    monthOf(now),
    [...accounts],
    first,
    last,
    ...REFERENCE_COLUMNS.map((column) => column.textOf(parts)),
    ...SETTLED_COLUMNS.map((column) => column.textOf(items)),
  ];
  if (items.every(({ settlement }) => isAcceptedOnly(settlement))) {
    return { statement: settleAccepted.call, values };
  }
  const outcomes = OUTCOME_COLUMNS.map((column) => column.textOf(items));
  return { statement: settleMessages.call, values: [...values, ...outcomes] };
}

function isAcceptedOnly({ outcome, claim, isLate }: Settlement): boolean {
  return outcome.kind === "accepted" && claim === null && isLate === undefined;
}

/** The message after a submit: the state machine's moves out of `queued`. */
export function rowAfter(item: Settlement, now: number): MessageRow {
  const { row, outcome, attempt } = item;
  // A receipt may settle an attempt before the last one.
  const attempts = Math.max(row.attempts, attempt);
  const base = { ...row, attempts, carrier: item.carrier ?? row.carrier };
  if (outcome.kind === "accepted") {
    const { to, money } = MESSAGE_MOVES.carrier_accepted;
    return {
      ...base,
      status: to,
      awaiting_carrier: false,
      sent_at: now,
      next_attempt_at: null,
      carrier_code: null,
      billing: billingAfter(row.billing, money),
    };
  }
  if (outcome.kind === "unknown") {
    const decided = row.next_attempt_at ?? now + unansweredTimeoutMs(row);
    return { ...base, next_attempt_at: decided };
  }
  if (outcome.kind === "not_sent") {
    const next_attempt_at = capAtExpiry(row, now + NOT_SENT_WAIT_MS);
    return { ...base, attempts: attempt - 1, awaiting_carrier: false, next_attempt_at };
  }
  const delayMs = outcome.isTemporary ? retryDelayMsAfter(row, attempt) : null;
  if (delayMs !== null) {
    const next_attempt_at = capAtExpiry(row, now + delayMs);
    return { ...base, awaiting_carrier: false, next_attempt_at, carrier_code: outcome.carrierCode };
  }
  const failure = outcome.isTemporary
    ? "carrier_unavailable"
    : (outcome.failure ?? "carrier_rejected");
  return failed(base, failure, outcome.carrierCode, now);
}

function failed(
  row: MessageRow,
  code: FailureCode,
  carrierCode: string | null,
  now: number,
): MessageRow {
  const { to, money } = MESSAGE_MOVES.given_up;
  return {
    ...row,
    status: to,
    awaiting_carrier: false,
    failed_at: now,
    failure_code: code,
    carrier_code: carrierCode,
    next_attempt_at: null,
    price_micros: 0,
    billing: billingAfter(row.billing, money),
  };
}

/** Outcome to store in the row of the submit attempt. */
function attemptOutcome(outcome: SubmitOutcome, after: MessageRow): string {
  // A decision without an answer leaves the attempt's outcome unknown.
  if (after.failure_code === "outcome_unknown") return "unknown";
  return outcome.kind === "refused" && outcome.isTemporary ? "deferred" : outcome.kind;
}

function eventOf(after: MessageRow): { type: string; data: Record<string, unknown> } | null {
  if (after.from_service) return null;
  const { carrier_accepted, given_up } = MESSAGE_MOVES;
  if (after.status === carrier_accepted.to) {
    return { type: carrier_accepted.emits, data: sentData(after) };
  }
  if (after.status === given_up.to && after.failure_code) {
    const data = failedData(after, after.failure_code, after.carrier_code);
    return { type: given_up.emits, data };
  }
  return null;
}

/** 201 once the carrier has accepted the message, 202 while an attempt is pending. */
export function statusCodeOf(row: MessageRow): 201 | 202 {
  return row.status === "queued" ? 202 : 201;
}

/** Ends a message that no carrier ever answered for: not billed, never sent again. */
export const OUTCOME_NEVER_KNOWN: SubmitOutcome = {
  kind: "refused",
  isTemporary: false,
  carrierCode: null,
  failure: "outcome_unknown",
};
