import { FREE_TEXTS_PER_MONTH, formatTimestamp, type MessageBilling } from "@longwave/contract";
import type { Base } from "../base.ts";
import { dayOf, monthOf } from "../billing/index.ts";
import type { Carrier } from "../carriers/index.ts";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import { jsonString } from "../platform/json-text.ts";
import type { QueueDeps } from "../queue/deps.ts";
import { acceptMessages } from "./accept-sql.ts";
import type { MessageRow } from "./message-row.ts";
import { lockAccounts } from "./sql.ts";
import { wakeWhenDue } from "./wake-when-due.ts";

/** What decides that an item is not accepted, told by the statement that would have written it. */
export type Verdict =
  | "accepted"
  | "duplicate"
  | "recipient_opted_out"
  | "quota_exceeded"
  | "spend_limit_reached"
  | "insufficient_credits";

/** A message composed and not yet written, with all that is written together with it. */
export interface Draft {
  /** The row as it will stand; its price is what it costs unless the allowance covers it. */
  readonly row: MessageRow;
  /** Live traffic counts against allowance, balance and quota; sandbox and auto-replies do not. */
  readonly isBillable: boolean;
  /** The account's daily quota, or null where none applies. */
  readonly quota: number | null;
  readonly skipsConsent: boolean;
  readonly event: { readonly type: string; readonly data: Record<string, unknown> } | null;
  /** The claim of an Idempotency-Key; its answer, where it is known before the write. */
  readonly claim: {
    readonly keyHash: Buffer;
    readonly fingerprint: Buffer;
    readonly answer: { readonly status: number; readonly body: string } | null;
  } | null;
  /** The link that has a place for it: the write is then also the hand-over. */
  readonly carrier: Carrier | null;
}

export interface Accepted {
  readonly verdict: Verdict;
  readonly costMicros: number;
  readonly billing: MessageBilling;
}

interface AcceptRow {
  readonly accepted: number;
  readonly others: readonly (Accepted & { readonly ord: number })[] | null;
}

const FREELY_ACCEPTED: Accepted = { verdict: "accepted", costMicros: 0, billing: "none" };

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 5_000;

export type MessageWriter = Group<Draft, Accepted>;

/** Writes messages by groups: the hot path of the service. */
export function createMessageWriter(
  deps: Pick<QueueDeps, "db" | "clock" | "ids" | "metrics" | "wakes">,
): MessageWriter {
  return createGroup<Draft, Accepted>({
    meter: deps.metrics.group("messages"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results: Accepted[] = new Array(items.length);
      for (const [shard, indexes] of byShard(items)) {
        const group = indexes.map((index) => items[index] as Draft);
        const steps = acceptSteps(deps, shard, group);
        const [, rows] = await deps.db.fly(steps);
        const accepted = acceptedOf(group, rows as AcceptRow[]);
        indexes.forEach((index, position) => {
          results[index] = accepted[position] as Accepted;
        });
      }
      return results;
    },
  });
}

/** The same in a transaction of the caller's, for work that moves other rows along. */
export async function acceptIn(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  items: readonly Draft[],
): Promise<Accepted[]> {
  const [lock, accept] = acceptSteps(deps, shard, items);
  await tx.query(lock.statement, lock.values);
  return acceptedOf(items, await tx.query<AcceptRow>(accept.statement, accept.values));
}

/** The same where the accounts are locked already and nothing can refuse the items. */
export function acceptStep(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  drafts: readonly Draft[],
): Step {
  return acceptSteps(deps, shard, drafts)[1];
}

function acceptSteps(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  items: readonly Draft[],
): [Step, Step] {
  const now = deps.clock.now();
  const accounts = [...new Set(items.map((item) => item.row.account_id))];
  const parts = {
    keyed: items.some((item) => item.claim !== null),
    weighed: items.some((item) => item.isBillable || item.quota !== null),
    handed: items.some((item) => item.carrier !== null),
    decided: items.some((item) => item.row.status !== "queued"),
  };
  const texts = items.map((item, ord) => itemText(deps, item, ord, now));
  wakeWhenDue(
    deps.wakes,
    items.map((item) => item.row),
  );
  const values: unknown[] = [shard, `[${texts.join(",")}]`, accounts];
  if (parts.keyed || parts.weighed) {
    values.push(new Date(now), monthOf(now), dayOf(now), FREE_TEXTS_PER_MONTH);
  }
  return [
    { statement: lockAccounts, values: [shard, accounts] },
    { statement: acceptMessages(parts), values },
  ];
}

/**
 * An item as the statement reads it. What is null is left out: it reads as null all the same, and
 * most of a row is, so the text is half as long to write and to parse.
 */
function itemText(deps: Pick<Base, "ids">, item: Draft, ord: number, now: number): string {
  const { row, event, claim } = item;
  let text = `{"ord":${ord},"account_id":"${row.account_id}","id":"${row.id}","status":"${row.status}","mode":"${
    row.mode
  }","from_number":${jsonString(row.from_number)},"to_number":${jsonString(
    row.to_number,
  )},"body":${JSON.stringify(row.body)},"encoding":"${row.encoding}","segments":${
    row.segments
  },"price_micros":${row.price_micros},"simulated":${row.simulated},"attempts":${
    row.attempts
  },"created_at":"${formatTimestamp(row.created_at)}"`;
  if (row.sent_at !== null) text += `,"sent_at":"${formatTimestamp(row.sent_at)}"`;
  if (event) {
    text += `,"event_id":"${deps.ids.makeAt(now)}","event_type":"${event.type}","event_data":${JSON.stringify(event.data)}`;
  }
  if (item.isBillable) text += ',"is_billable":true';
  if (item.quota !== null) text += `,"quota":${item.quota}`;
  if (item.skipsConsent) text += ',"skips_consent":true';
  if (item.carrier !== null) text += ',"hands_over":true';
  if (claim) {
    text += `,"key_hash":"${claim.keyHash.toString("hex")}","fingerprint":"${claim.fingerprint.toString("hex")}"`;
    if (claim.answer) {
      text += `,"response_status":${claim.answer.status},"response":${JSON.stringify(claim.answer.body)}`;
    }
  }
  return `${text}${rareFields(row)}}`;
}

/** The fields of a row that few texts have. */
function rareFields(row: MessageRow): string {
  let text = "";
  if (row.receipt_due_at !== null)
    text += `,"receipt_due_at":"${formatTimestamp(row.receipt_due_at)}"`;
  if (row.next_attempt_at !== null)
    text += `,"next_attempt_at":"${formatTimestamp(row.next_attempt_at)}"`;
  if (row.failed_at !== null) text += `,"failed_at":"${formatTimestamp(row.failed_at)}"`;
  if (row.failure_code !== null) text += `,"failure_code":"${row.failure_code}"`;
  if (row.carrier_code !== null) text += `,"carrier_code":${jsonString(row.carrier_code)}`;
  if (row.carrier !== null) text += `,"carrier":${jsonString(row.carrier)}`;
  if (row.auto_reply) text += ',"auto_reply":true';
  return text + ownerFields(row);
}

/** What a text belongs to. */
function ownerFields(row: MessageRow): string {
  let text = "";
  if (row.customer_id !== null) text += `,"customer_id":"${row.customer_id}"`;
  if (row.pool_id !== null) text += `,"pool_id":"${row.pool_id}"`;
  if (row.batch_id !== null)
    text += `,"batch_id":"${row.batch_id}","batch_index":${row.batch_index}`;
  if (row.scheduled_message_id !== null) {
    text += `,"scheduled_message_id":"${row.scheduled_message_id}"`;
  }
  if (row.schedule_id !== null) text += `,"schedule_id":"${row.schedule_id}"`;
  if (row.run_id !== null) text += `,"run_id":"${row.run_id}"`;
  if (row.verification_id !== null) text += `,"verification_id":"${row.verification_id}"`;
  if (row.from_service) text += ',"from_service":true';
  if (row.expires_at !== null) text += `,"expires_at":"${formatTimestamp(row.expires_at)}"`;
  return text;
}

function acceptedOf(items: readonly Draft[], [row]: readonly AcceptRow[]): Accepted[] {
  const results: Accepted[] = new Array(items.length).fill(FREELY_ACCEPTED);
  let judged = row?.accepted ?? 0;
  for (const other of row?.others ?? []) {
    results[other.ord] = other;
    if (other.verdict !== "accepted") judged += 1;
  }
  if (judged !== items.length) {
    throw new Error(`Of ${items.length} messages ${judged} were judged.`);
  }
  return results;
}

/** Positions of the items, by shard. */
export function byShard(items: readonly { row: { shard: number } }[]): Map<number, number[]> {
  const shards = new Map<number, number[]>();
  items.forEach((item, index) => {
    const indexes = shards.get(item.row.shard);
    if (indexes) indexes.push(index);
    else shards.set(item.row.shard, [index]);
  });
  return shards;
}

export function iso(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms);
}
