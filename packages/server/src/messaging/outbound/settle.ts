import { billingAfter, type FailureCode, MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { SubmitOutcome } from "../carriers/carrier.ts";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import { monthOf } from "../platform/clock.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { onlyAccount } from "./accept.ts";
import { createWriterAside } from "./aside.ts";
import { decidedMsAfter, inTime, receiptsAt, retryDelayMsAfter, wakeWhenDue } from "./due-times.ts";
import { type MessageFollowers, runSteps } from "./follower.ts";
import { failedData, type MessageRow, sentData } from "./message.ts";
import {
  type NamedPart,
  OUTCOME_COLUMNS,
  REFERENCE_COLUMNS,
  SETTLED_COLUMNS,
  type SettleItem,
  settleAccepted,
  settleMessages,
} from "./settle-functions.ts";
import { INBOX_SHARD } from "./sql.ts";
import type { Settled, Settlement } from "./stages.ts";

/** What it takes to write outcomes down. */
type SettleDeps = Pick<QueueDeps, "clock" | "ids" | "wakes"> & {
  readonly follower: MessageFollowers;
};

/** Writes outcomes down; an item is resolved with how it leaves its message. */
export type SettlementWriter = Group<Settlement, Settled>;

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 20_000;
/** A text that has not left looks for another place after this long: its link is gone, or going. */
const NOT_SENT_WAIT_MS = 200;

/**
 * Writes outcomes by groups, as they come in from the carriers. Those of an account that its own calls have locked go
 * beside everybody's, as its texts do: a group waits for all the accounts that it is of.
 */
export function createSettlementWriter(
  deps: SettleDeps & Pick<QueueDeps, "db" | "metrics" | "transactionTurns">,
): SettlementWriter {
  const together = createGroupOfAll(deps);
  const aside = createWriterAside<Settlement, Settled>({
    db: deps.db,
    rowOf: ({ row }) => row,
    write: (tx, shard, items) => settleIn(deps, tx, shard, items),
  });
  return {
    add: (item) =>
      deps.transactionTurns.isFull(item.row.account_id) ? aside.add(item) : together.add(item),
    async drain() {
      await Promise.all([together.drain(), aside.drain()]);
    },
  };
}

function createGroupOfAll(deps: SettleDeps & Pick<Base, "db" | "metrics">): SettlementWriter {
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

/** One round trip, unless some message has a follower that reads before it writes. */
async function settleGroup(
  deps: SettleDeps & Pick<Base, "db">,
  shard: number,
  items: readonly Settlement[],
): Promise<Settled[]> {
  if (items.some((item) => deps.follower.attends(item.row))) {
    return deps.db.tx((tx) => settleIn(deps, tx, shard, items));
  }
  const { before, settle, after, afterwards } = settleSteps(deps, shard, items);
  const accountId = onlyAccount(items.map(({ row }) => row.account_id));
  const results = await deps.db.fly([...before, settle, ...afterwards], { accountId });
  return settledOf(after, results[before.length] as SettleRow[]);
}

/** The same in a transaction of the caller's. */
export async function settleIn(
  deps: SettleDeps,
  tx: Tx,
  shard: number,
  items: readonly Settlement[],
): Promise<Settled[]> {
  const { before, settle, after, afterwards } = settleSteps(deps, shard, items);
  await runSteps(tx, before);
  const settled = settledOf(after, await tx.query<SettleRow>(settle.statement, settle.values));
  await runSteps(tx, afterwards);
  const moved = settled.filter((row) => row !== null && deps.follower.attends(row));
  if (moved.length > 0) await deps.follower.moved(tx, shard, moved as MessageRow[]);
  return settled;
}

interface SettleRow {
  /** Counted from one. */
  readonly moved: readonly number[] | null;
}

function settledOf(after: readonly MessageRow[], [row]: readonly SettleRow[]): Settled[] {
  const settled: Settled[] = after.map(() => null);
  for (const number of row?.moved ?? []) settled[number - 1] = after[number - 1] as MessageRow;
  return settled;
}

interface SettleSteps {
  readonly before: readonly Step[];
  readonly settle: Step;
  readonly afterwards: readonly Step[];
  /** The messages as the settlement leaves those that it moves. */
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
    before: deps.follower.lock(shard, after),
    settle: settleStep(shard, items, now),
    afterwards: deps.follower.follow(shard, after, now),
  };
}

function itemOf(deps: Pick<Base, "ids">, settlement: Settlement, now: number): SettleItem {
  const after = rowAfter(settlement, now);
  const { outcome, claim } = settlement;
  const event = eventOf(after);
  const text = after.status === "failed" ? null : (claim?.textOf?.(after) ?? null);
  return {
    settlement,
    after,
    outcome: attemptOutcome(outcome, after),
    receiptDueAt: outcome.kind === "accepted" ? (outcome.receiptDueAtMs ?? null) : null,
    event: event && { id: deps.ids.makeAt(now), ...event },
    answer: text === null ? null : { status: statusCodeOf(after), text },
  };
}

function settleStep(shard: number, items: readonly SettleItem[], now: number): Step {
  const accounts = new Set<string>();
  const parts: NamedPart[] = [];
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
    receiptsAt(accounts.size, items),
    ...REFERENCE_COLUMNS.map((column) => column.textOf(parts)),
    ...SETTLED_COLUMNS.map((column) => column.textOf(items)),
  ];
  if (items.every(({ settlement }) => isPlainlyAccepted(settlement))) {
    return { statement: settleAccepted.call, values };
  }
  const outcomes = OUTCOME_COLUMNS.map((column) => column.textOf(items));
  return { statement: settleMessages.call, values: [...values, ...outcomes] };
}

function isPlainlyAccepted({ outcome, claim, isLate }: Settlement): boolean {
  return outcome.kind === "accepted" && claim === null && isLate === undefined;
}

/** How a message stands after a hand-over: the state machine's moves out of `queued`. */
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
      is_out: false,
      sent_at: now,
      next_attempt_at: null,
      carrier_code: null,
      billing: billingAfter(row.billing, money),
    };
  }
  if (outcome.kind === "unknown") {
    const decided = row.next_attempt_at ?? now + decidedMsAfter(row);
    return { ...base, next_attempt_at: decided };
  }
  if (outcome.kind === "not_sent") {
    const next_attempt_at = inTime(row, now + NOT_SENT_WAIT_MS);
    return { ...base, attempts: attempt - 1, is_out: false, next_attempt_at };
  }
  const delayMs = outcome.isTemporary ? retryDelayMsAfter(row, attempt) : null;
  if (delayMs !== null) {
    const next_attempt_at = inTime(row, now + delayMs);
    return { ...base, is_out: false, next_attempt_at, carrier_code: outcome.carrierCode };
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
    is_out: false,
    failed_at: now,
    failure_code: code,
    carrier_code: carrierCode,
    next_attempt_at: null,
    price_micros: 0,
    billing: billingAfter(row.billing, money),
  };
}

/** What the hand-over's own row says of its outcome. */
function attemptOutcome(outcome: SubmitOutcome, after: MessageRow): string {
  // A decision without an answer leaves the hand-over as what it is: unknown.
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

/** 201 once the carrier has it, 202 while it is still to be tried. */
export function statusCodeOf(row: MessageRow): 201 | 202 {
  return row.status === "queued" ? 202 : 201;
}

/** The outcome that ends a message of which no word ever came: not billed, never sent again. */
export const OUTCOME_NEVER_KNOWN: SubmitOutcome = {
  kind: "refused",
  isTemporary: false,
  carrierCode: null,
  failure: "outcome_unknown",
};
