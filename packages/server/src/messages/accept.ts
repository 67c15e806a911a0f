import { FREE_TEXTS_PER_MONTH, formatTimestamp } from "@longwave/contract";
import { dayOf, monthOf } from "../billing/index.ts";
import type { Step, Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { createGroup, type Group } from "../db/group.ts";
import type { Deps } from "../deps.ts";
import { acceptMessages } from "./accept-sql.ts";
import type { Billing, MessageRow } from "./message-row.ts";
import { lockAccounts } from "./sql.ts";

/** What decides that an item is not accepted, told by the statement that would have written it. */
export type Verdict =
  | "accepted"
  | "duplicate"
  | "recipient_opted_out"
  | "quota_exceeded"
  | "insufficient_credits";

/** A message ready to be written, with all that is written together with it. */
export interface NewMessage {
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
  /** Whether the write is also the hand-over to the carrier named in the row. */
  readonly handsOver: boolean;
}

export interface Accepted {
  readonly verdict: Verdict;
  readonly costMicros: number;
  readonly billing: Billing;
}

interface AcceptRow {
  readonly accepted: number;
  readonly others: readonly (Accepted & { readonly ord: number })[] | null;
}

const FREELY_ACCEPTED: Accepted = { verdict: "accepted", costMicros: 0, billing: "none" };

const ITEMS_PER_WRITE_MAX = 1_000;
const ITEMS_WAITING_MAX = 5_000;

export type MessageWriter = Group<NewMessage, Accepted>;

/** Writes messages by groups: the hot path of the service. */
export function createMessageWriter(
  deps: Pick<Deps, "db" | "clock" | "ids" | "metrics">,
): MessageWriter {
  return createGroup<NewMessage, Accepted>({
    meter: deps.metrics.group("messages"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results: Accepted[] = new Array(items.length);
      for (const [shard, indexes] of byShard(items)) {
        const group = indexes.map((index) => items[index] as NewMessage);
        const steps = acceptSteps(deps, shard, group);
        const [, rows] = await deps.db.steps(steps);
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
  deps: Deps,
  tx: Tx,
  shard: number,
  items: readonly NewMessage[],
): Promise<Accepted[]> {
  const [lock, accept] = acceptSteps(deps, shard, items);
  await tx.query(lock.statement, lock.values);
  return acceptedOf(items, await tx.query<AcceptRow>(accept.statement, accept.values));
}

function acceptSteps(
  deps: Pick<Deps, "clock" | "ids">,
  shard: number,
  items: readonly NewMessage[],
): [Step, Step] {
  const now = deps.clock.now();
  const accounts = [...new Set(items.map((item) => item.row.account_id))];
  const parts = {
    keyed: items.some((item) => item.claim !== null),
    weighed: items.some((item) => item.isBillable || item.quota !== null),
    handed: items.some((item) => item.handsOver),
  };
  const json = JSON.stringify(items.map((item, ord) => itemJson(deps, item, ord, now)));
  const values: unknown[] = [shard, json, accounts];
  if (parts.keyed || parts.weighed) {
    values.push(new Date(now), monthOf(now), dayOf(now), FREE_TEXTS_PER_MONTH);
  }
  return [
    { statement: lockAccounts, values: [shard, accounts] },
    { statement: acceptMessages(parts), values },
  ];
}

function itemJson(deps: Pick<Deps, "ids">, item: NewMessage, ord: number, now: number): object {
  const { claim, event } = item;
  return {
    ord,
    ...rowJson(item.row),
    is_billable: item.isBillable,
    quota: item.quota ?? undefined,
    skips_consent: item.skipsConsent || undefined,
    hands_over: item.handsOver || undefined,
    event_id: event ? deps.ids.makeAt(now) : undefined,
    event_type: event?.type,
    event_data: event ? JSON.stringify(event.data) : undefined,
    key_hash: claim?.keyHash.toString("hex"),
    fingerprint: claim?.fingerprint.toString("hex"),
    response_status: claim?.answer?.status,
    response: claim?.answer?.body,
  };
}

/**
 * A row as the statement reads it. What is null is left out: it reads as null all the same, and
 * most of a row is, so the text is half as long to write and to parse.
 */
function rowJson(row: MessageRow): object {
  return {
    account_id: row.account_id,
    id: row.id,
    status: row.status,
    mode: row.mode,
    from_number: row.from_number,
    to_number: row.to_number,
    body: row.body,
    encoding: row.encoding,
    segments: row.segments,
    price_micros: row.price_micros,
    simulated: row.simulated,
    auto_reply: row.auto_reply || undefined,
    customer_id: row.customer_id ?? undefined,
    pool_id: row.pool_id ?? undefined,
    batch_id: row.batch_id ?? undefined,
    batch_index: row.batch_index ?? undefined,
    scheduled_message_id: row.scheduled_message_id ?? undefined,
    verification_id: row.verification_id ?? undefined,
    attempts: row.attempts,
    next_attempt_at: iso(row.next_attempt_at) ?? undefined,
    receipt_due_at: iso(row.receipt_due_at) ?? undefined,
    failure_code: row.failure_code ?? undefined,
    carrier_code: row.carrier_code ?? undefined,
    carrier: row.carrier ?? undefined,
    created_at: iso(row.created_at),
    sent_at: iso(row.sent_at) ?? undefined,
    failed_at: iso(row.failed_at) ?? undefined,
  };
}

function acceptedOf(items: readonly NewMessage[], [row]: readonly AcceptRow[]): Accepted[] {
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
