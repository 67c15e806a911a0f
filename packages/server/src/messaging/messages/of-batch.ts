import type { FailureCode, MessageStatus, Mode } from "@longwave/contract";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { postponeMessages } from "./sql.ts";

/** Makes queued messages due now, whether they wait for a retry or are suspended. */
export async function wakeMessages(
  tx: Tx,
  shard: number,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  if (ids.length > 0) await tx.query(postponeMessages, [shard, ids, new Date(nowMs)]);
}

/** Columns of a batch that its messages depend on. */
interface BatchRef {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly from_number: string;
  readonly mode: Mode;
  readonly created_at: number;
}

/** Number of recipients whose newest message has this status and failure, sent or not. */
export interface OutcomeSum {
  readonly status: MessageStatus;
  readonly failure_code: FailureCode | null;
  /** A carrier accepted the newest message. */
  readonly was_sent: boolean;
  readonly recipients: number;
  /** Sum over all messages of these recipients. */
  readonly price_micros: number;
  /** Recipients whose newest message was sent before `longAgoMs`. */
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
   select n.status, n.failure_code, n.sent_at is not null as was_sent, count(*)::int as recipients, sum(n.price_micros)::bigint as price_micros,
          count(*) filter (where n.status = 'sent' and n.sent_at <= $4)::int as sent_long_ago
     from newest n
    group by 1, 2, 3`,
);

/** Outcomes of a batch's recipients, each taken from the newest message. */
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
  "read_received_messages",
  `select m.from_number, m.body, m.created_at from messages m
    where m.shard = $1 and m.account_id = $2 and m.mode = $7 and m.to_number = $3 and m.direction = 'inbound' and not m.from_service
      and m.id >= $4 and m.id < $5
    order by m.id desc limit $6`,
);

/** The latest messages that a number received between the creation of the batch and `untilMs`. */
export function receivedSince(
  db: Queryable,
  batch: BatchRef,
  untilMs: number,
  messagesMax: number,
): Promise<ReceivedRow[]> {
  return db.query<ReceivedRow>(readReceived, [
    batch.shard,
    batch.account_id,
    batch.from_number,
    firstUuidAt(batch.created_at),
    firstUuidAt(untilMs),
    messagesMax,
    batch.mode,
  ]);
}
