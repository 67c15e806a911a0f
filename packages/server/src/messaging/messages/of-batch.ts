import type { FailureCode, MessageStatus } from "@longwave/contract";
import type { Queryable, Tx } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { postponeMessages } from "../handover/index.ts";
import { firstUuidAt } from "../platform/ids.ts";

/** What batches ask about their messages, and do to them. */

/** Makes messages that wait for their next attempt, or are held, due now. */
export async function wakeMessages(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, new Date(nowMs)]);
}

/** A batch as far as its messages are concerned. */
interface BatchRef {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly from_number: string;
  readonly created_at: number;
}

/** The recipients whose newest message has one status and failure. */
export interface OutcomeSum {
  readonly status: MessageStatus;
  readonly failure_code: FailureCode | null;
  readonly recipients: number;
  /** Of all their messages. */
  readonly price_micros: number;
  /** Those sent before the given moment. */
  readonly sent_long_ago: number;
}

// No message of a batch is older than the batch: the bound on ids leaves older partitions unread.
const sumOutcomes = statement(
  "sum_batch_outcomes",
  `with newest as (
     select distinct on (m.batch_index) m.status, m.failure_code, m.sent_at,
            sum(m.price_micros) over (partition by m.batch_index) as price_micros
       from messages m
      where m.shard = $1 and m.batch_id = $2 and m.id >= $3
      order by m.batch_index, m.id desc
   )
   select n.status, n.failure_code, count(*)::int as recipients, sum(n.price_micros)::bigint as price_micros,
          count(*) filter (where n.sent_at <= $4)::int as sent_long_ago
     from newest n
    group by n.status, n.failure_code`,
);

/** What became of a batch's recipients, each told by its newest message. */
export function batchOutcomes(
  db: Queryable,
  batch: BatchRef,
  longAgoMs: number,
): Promise<OutcomeSum[]> {
  return db.query<OutcomeSum>(sumOutcomes, [
    batch.shard,
    batch.id,
    firstUuidAt(batch.created_at),
    new Date(longAgoMs),
  ]);
}

interface ReceivedRow {
  readonly from_number: string;
  readonly body: string;
  readonly created_at: number;
}

const readReceived = statement(
  "read_received_texts",
  `select m.from_number, m.body, m.created_at from messages m
    where m.shard = $1 and m.account_id = $2 and m.to_number = $3 and m.direction = 'inbound' and not m.from_service
      and m.id >= $4 and m.id < $5
    order by m.id desc limit $6`,
);

/** The latest texts that a number received from the batch's making until before the given moment. */
export function receivedSince(
  db: Queryable,
  batch: BatchRef,
  untilMs: number,
  textsMax: number,
): Promise<ReceivedRow[]> {
  return db.query<ReceivedRow>(readReceived, [
    batch.shard,
    batch.account_id,
    batch.from_number,
    firstUuidAt(batch.created_at),
    firstUuidAt(untilMs),
    textsMax,
  ]);
}
