import type { MessageStatus, Mode } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";

/**
 * Condition on a conversation `c`: somebody replied after the message `c.awaiting_id`. Mass messages and
 * automatic ones are no replies, and a failed reply reached nobody.
 */
export const HAS_REPLY = `exists (select 1 from messages m
    where m.shard = c.shard and m.account_id = c.account_id and m.to_number = c.phone_number
      and m.direction = 'outbound' and not m.from_service and m.id > c.awaiting_id and m.mode = c.mode
      and m.status <> 'failed' and m.batch_id is null and m.schedule_id is null and m.run_id is null
      and not m.auto_reply)`;

/** Newest message of a conversation, as lists show it. */
export interface NewestMessage {
  readonly phone_number: string;
  readonly id: string;
  readonly direction: "inbound" | "outbound";
  readonly status: MessageStatus;
  readonly body: string;
  readonly created_at: number;
}

/** Newest received message of a person, and the person. */
export interface Received {
  readonly phone: string;
  readonly messageId: string;
}

const COLUMNS = "m.id, m.direction, m.status, m.body, m.created_at";

const newestOfPeople = statement(
  "newest_messages_of_people",
  `select w.phone as phone_number, n.*
     from unnest($4::text[], $5::uuid[]) as w(phone, received_id)
    cross join lateral (
      (select ${COLUMNS} from messages m
        where m.shard = $1 and m.account_id = $2 and m.to_number = w.phone and m.direction = 'outbound'
          and not m.from_service and m.id > w.received_id and m.mode = $3
        order by m.id desc limit 1)
      union all
      (select ${COLUMNS} from messages m
        where m.shard = $1 and m.account_id = $2 and m.id = w.received_id)
      order by id desc limit 1
    ) n`,
);

/** The newest message of each person: the received one, or the last one sent after it. */
export function newestMessages(
  db: Queryable,
  account: AccountRef,
  mode: Mode,
  received: readonly Received[],
): Promise<NewestMessage[]> {
  if (received.length === 0) return Promise.resolve([]);
  return db.query<NewestMessage>(newestOfPeople, [
    account.shard,
    account.id,
    mode,
    received.map(({ phone }) => phone),
    received.map(({ messageId }) => messageId),
  ]);
}
