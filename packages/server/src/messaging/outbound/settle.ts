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
  messageText,
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
import type { AccountQueue } from "./account-queue.ts";
import { createAccountWriter } from "./account-writer.ts";
import { type CostedMessage, costSteps } from "./carrier-costs.ts";
import { optOutSteps } from "./carrier-opt-out.ts";
import { type MessageFollowers, runSteps } from "./follower.ts";
import { INBOX_SHARD } from "./sql.ts";

/** Dependencies of settling. */
type SettleDeps = Pick<
  QueueDeps,
  "clock" | "config" | "destinations" | "ids" | "prices" | "wakes"
> & {
  readonly follower: MessageFollowers;
};

/** Stores outcomes; `add` resolves with the message after the settlement. */
export type SettlementWriter = Group<Settlement, Settled>;

const ITEMS_PER_TRANSACTION_MAX = 1_000;
const ITEMS_WAITING_MAX = 20_000;
/** Retry delay of a message that did not leave: its bind is gone or closing. */
const NOT_SENT_WAIT_MS = 200;

/**
 * Stores carriers' answers with group commit. Messages with a follower that reads before it writes need several round
 * trips, and go through a group of their own.
 */
export function createSettlementWriter(
  deps: SettleDeps & Pick<QueueDeps, "db" | "transactionSlots">,
  queue: AccountQueue,
): SettlementWriter {
  const apart = createAccountWriter<Settlement, Settled>({
    db: deps.db,
    rowOf: ({ row }) => row,
    write: (tx, shard, items) => settleIn(deps, tx, shard, items),
  });
  const interactive = createInteractiveGroup(deps);
  const group = queue.attach<Settlement, Settled>({
    name: "settlements",
    itemsWaitingMax: ITEMS_WAITING_MAX,
    ownerOf: ({ row }) => ({ shard: row.shard, accountId: row.account_id }),
    writeApart: (item) => apart.add(item),
    plan(shard, items) {
      const { lock, settle, after, follow } = settleSteps(deps, shard, items);
      const resultsOf = (rows: readonly unknown[]) => settledOf(after, rows as SettleRow[]);
      return { lock, write: settle, follow, resultsOf };
    },
    wire: {
      pack: packSettlement,
      unpack: unpackSettlement,
      // A settlement moves a message once: storing it again is safe.
      writeAgain: (item) => apart.add(item),
    },
  });
  return {
    add(item) {
      const isBusy = deps.transactionSlots.isFull(item.row.account_id);
      const isInteractive = !isBusy && deps.follower.hasMoveHandler(item.row);
      return isInteractive ? interactive.add(item) : group.add(item);
    },
    async drain() {
      await Promise.all([group.drain(), apart.drain(), interactive.drain()]);
    },
  };
}

/** A settlement as JSON. */
interface PackedSettlement extends Omit<Settlement, "claim"> {
  readonly claim: {
    readonly mode: string;
    readonly keyHash: string;
    readonly hasBody: boolean;
  } | null;
}

/** The late answer of an unknown outcome is a settlement of its own, and stays here. */
function packSettlement(settlement: Settlement): PackedSettlement | null {
  const { claim, outcome } = settlement;
  const hasBody = claim?.bodyOf === messageText;
  if (claim?.bodyOf !== undefined && !hasBody) return null;
  return {
    ...settlement,
    outcome: outcome.kind === "unknown" ? { kind: "unknown" } : outcome,
    claim: claim && { mode: claim.mode, keyHash: claim.keyHash.toString("hex"), hasBody },
  };
}

function unpackSettlement(packed: unknown): Settlement {
  const { claim, ...settlement } = packed as PackedSettlement;
  return {
    ...settlement,
    claim: claim && {
      mode: claim.mode,
      keyHash: Buffer.from(claim.keyHash, "hex"),
      ...(claim.hasBody ? { bodyOf: messageText } : {}),
    },
  };
}

/** Writes one shard after the other, each in a transaction. */
function createInteractiveGroup(deps: SettleDeps & Pick<Base, "db">): SettlementWriter {
  return createGroup<Settlement, Settled>({
    itemsPerWriteMax: ITEMS_PER_TRANSACTION_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const settled: Settled[] = new Array(items.length).fill(null);
      for (const shard of new Set(items.map((item) => item.row.shard))) {
        const indexes = [...items.keys()].filter((index) => items[index]?.row.shard === shard);
        const group = indexes.map((index) => items[index] as Settlement);
        const written = await deps.db.tx((tx) => settleIn(deps, tx, shard, group));
        indexes.forEach((index, position) => {
          settled[index] = written[position] as Settled;
        });
      }
      return settled;
    },
  });
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
    follow: [
      ...deps.follower.follow(shard, after, now),
      ...costSteps(deps, shard, pricedAmong(settlements)),
      ...optOutSteps(deps, shard, optedOutAmong(settlements)),
    ],
  };
}

/** Accepted messages whose carrier said at once what it takes. */
function pricedAmong(settlements: readonly Settlement[]): CostedMessage[] {
  return settlements.flatMap(({ outcome, row }) =>
    outcome.kind === "accepted" && outcome.cost ? [{ row, cost: outcome.cost }] : [],
  );
}

/** Messages refused because the person has asked the carrier for none. */
function optedOutAmong(settlements: readonly Settlement[]): MessageRow[] {
  return settlements.flatMap(({ outcome, row }) =>
    outcome.kind === "refused" && outcome.hasOptedOut ? [row] : [],
  );
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
