import { billingAfter, type FailureCode, formatTimestamp, MESSAGE_MOVES } from "@longwave/contract";
import type { Base } from "../base.ts";
import { monthOf } from "../billing/index.ts";
import type { SubmitOutcome } from "../carriers/carrier.ts";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import { jsonStringOrNull } from "../platform/json-text.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { iso } from "./accept.ts";
import { decidedMsAfter, inTime, retryDelayMsAfter } from "./compose.ts";
import { type MessageFollower, runSteps } from "./follower.ts";
import { INBOX_SHARD } from "./inbox.ts";
import { failedData, sentData } from "./message-events.ts";
import type { MessageRow } from "./message-row.ts";
import { settleAccepted, settleMessages } from "./settle-sql.ts";
import { lockAccounts, wakeEarlyReceipts } from "./sql.ts";
import { wakeWhenDue } from "./wake-when-due.ts";

/** What one hand-over came to, to be written down. */
export interface Settlement {
  readonly row: MessageRow;
  /** The number of the attempt that this settles. */
  readonly attempt: number;
  readonly carrier: string | null;
  readonly outcome: SubmitOutcome;
  /** The key of the request that waits for this, so that its answer can be replayed. */
  readonly claim: AnswerClaim | null;
}

/** An Idempotency-Key whose answer is the message as it comes to stand. */
export interface AnswerClaim {
  readonly mode: string;
  readonly keyHash: Buffer;
  /** The answer's text, unless it is stored already. A message that failed frees the key. */
  textOf?(row: MessageRow): string;
}

/** The message as the settlement leaves it; null when it had moved on by itself. */
export type Settled = MessageRow | null;

/** What it takes to write outcomes down. */
type SettleDeps = Pick<QueueDeps, "clock" | "ids" | "wakes"> & {
  readonly follower: MessageFollower;
};

export type SettlementWriter = Group<Settlement, Settled>;

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 20_000;

/** Writes outcomes by groups, as they come in from the carriers. */
export function createSettlementWriter(
  deps: SettleDeps & Pick<Base, "db" | "metrics">,
): SettlementWriter {
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
  const results = await deps.db.fly([...before, settle, ...afterwards]);
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
  readonly moved: readonly number[] | null;
}

function settledOf(after: readonly MessageRow[], [row]: readonly SettleRow[]): Settled[] {
  const settled: Settled[] = after.map(() => null);
  for (const position of row?.moved ?? []) settled[position] = after[position] as MessageRow;
  return settled;
}

interface SettleSteps {
  readonly before: readonly Step[];
  readonly settle: Step;
  readonly afterwards: readonly Step[];
  /** The messages as the settlement leaves those that it moves. */
  readonly after: readonly MessageRow[];
}

function settleSteps(deps: SettleDeps, shard: number, items: readonly Settlement[]): SettleSteps {
  const now = deps.clock.now();
  const accounts = [...new Set(items.map((item) => item.row.account_id))];
  const after = items.map((item) => rowAfter(item, now));
  wakeWhenDue(deps.wakes, after);
  return {
    after,
    before: [
      ...deps.follower.lock(shard, after),
      { statement: lockAccounts, values: [shard, accounts] },
    ],
    settle: settleStep(deps, shard, items, after, accounts, now),
    afterwards: [...deps.follower.follow(shard, after, now), ...earlyReceiptSteps(items, now)],
  };
}

function settleStep(
  deps: Pick<Base, "ids">,
  shard: number,
  items: readonly Settlement[],
  after: readonly MessageRow[],
  accounts: readonly string[],
  now: number,
): Step {
  const ids = items.map((item) => item.row.id);
  if (items.every((item) => item.outcome.kind === "accepted" && item.claim === null)) {
    const texts = items.map((item, ord) =>
      sentText(deps, item, after[ord] as MessageRow, ord, now),
    );
    const values = [shard, `[${texts.join(",")}]`, ids, new Date(now), accounts, monthOf(now)];
    return { statement: settleAccepted, values };
  }
  const json = items.map((item, ord) => itemJson(deps, item, after[ord] as MessageRow, ord, now));
  const keys = items.flatMap((item) => (item.claim ? [item.claim.keyHash] : []));
  const values = [shard, JSON.stringify(json), ids, new Date(now), accounts, monthOf(now), keys];
  return { statement: settleMessages, values };
}

function earlyReceiptSteps(items: readonly Settlement[], now: number): Step[] {
  const references: string[] = [];
  const carriers = new Set<string>();
  for (const { outcome, carrier } of items) {
    if (outcome.kind !== "accepted" || carrier === null) continue;
    references.push(...outcome.references);
    carriers.add(carrier);
  }
  if (references.length === 0) return [];
  const values = [INBOX_SHARD, [...carriers], new Date(now), references];
  return [{ statement: wakeEarlyReceipts, values }];
}

/** How a message stands after a hand-over: the state machine's moves out of `queued`. */
export function rowAfter(item: Settlement, now: number): MessageRow {
  const { row, outcome, attempt } = item;
  // A receipt may settle an attempt before the last one.
  const attempts = Math.max(row.attempts, attempt);
  const base = { ...row, attempts, carrier: item.carrier ?? row.carrier };
  if (outcome.kind === "accepted") {
    const { to, money } = MESSAGE_MOVES.carrier_accepted;
    const receiptDueAt = outcome.receiptDueAtMs ?? null;
    return {
      ...base,
      status: to,
      sent_at: now,
      next_attempt_at: null,
      carrier_code: null,
      billing: billingAfter(row.billing, money),
      receipt_due_at: receiptDueAt,
    };
  }
  if (outcome.kind === "unknown") {
    const decided = row.next_attempt_at ?? now + decidedMsAfter(row);
    return { ...base, next_attempt_at: decided };
  }
  const delayMs = outcome.isTemporary ? retryDelayMsAfter(row, attempt) : null;
  if (delayMs !== null) {
    const next = inTime(row, now + delayMs);
    return { ...base, next_attempt_at: next, carrier_code: outcome.carrierCode };
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
    failed_at: now,
    failure_code: code,
    carrier_code: carrierCode,
    next_attempt_at: null,
    price_micros: 0,
    billing: billingAfter(row.billing, money),
  };
}

function itemJson(
  deps: Pick<Base, "ids">,
  item: Settlement,
  after: MessageRow,
  ord: number,
  now: number,
): object {
  const event = eventOf(after);
  const answer = after.status === "failed" ? null : (item.claim?.textOf?.(after) ?? null);
  return {
    ord,
    account_id: after.account_id,
    id: after.id,
    attempt: item.attempt,
    attempts: after.attempts,
    outcome: attemptOutcome(item.outcome, after),
    status: after.status,
    carrier: after.carrier,
    carrier_code: after.carrier_code,
    failure_code: after.failure_code,
    next_attempt_at: iso(after.next_attempt_at),
    receipt_due_at: iso(after.receipt_due_at),
    carrier_references: item.outcome.kind === "accepted" ? item.outcome.references : [],
    event_id: event ? deps.ids.makeAt(now) : null,
    event_type: event?.type ?? null,
    event_data: event?.data ?? null,
    key_mode: item.claim?.mode ?? null,
    key_hash: item.claim?.keyHash.toString("hex") ?? null,
    response_status: answer ? statusCodeOf(after) : null,
    response: answer,
  };
}

/** What the hand-over's own row says of its outcome. */
function attemptOutcome(outcome: SubmitOutcome, after: MessageRow): string {
  // A decision without an answer leaves the hand-over as what it is: unknown.
  if (after.failure_code === "outcome_unknown") return "unknown";
  return outcome.kind === "refused" && outcome.isTemporary ? "deferred" : outcome.kind;
}

/** An item of a group that the carriers took as a whole, as its statement reads it. */
function sentText(
  deps: Pick<Base, "ids">,
  { attempt, outcome }: Settlement,
  after: MessageRow,
  ord: number,
  now: number,
): string {
  const due = after.receipt_due_at;
  const references = outcome.kind === "accepted" ? outcome.references : [];
  const event = after.from_service
    ? ""
    : `,"event_id":"${deps.ids.makeAt(now)}","event_type":"message.sent","event_data":${JSON.stringify(
        sentData(after),
      )}`;
  return `{"ord":${ord},"account_id":"${after.account_id}","id":"${after.id}","attempt":${attempt},"attempts":${after.attempts},"carrier":${jsonStringOrNull(
    after.carrier,
  )},"receipt_due_at":${due === null ? "null" : `"${formatTimestamp(due)}"`},"carrier_references":${JSON.stringify(
    references,
  )}${event}}`;
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
