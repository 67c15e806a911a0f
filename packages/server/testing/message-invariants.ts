import assert from "node:assert/strict";
import { MACHINES } from "@longwave/contract";

type Rows = (text: string, values?: readonly unknown[]) => Promise<unknown[]>;

/**
 * Invariants of every message, each as the condition of a violation. The table does not check them on every
 * write; tests check the rows that they leave.
 */
const BROKEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    MACHINES.filter((machine) => machine.table === "messages").map((machine) => [
      `the ${machine.column} is a state of its machine`,
      `${machine.column} not in (${machine.states.map((state) => `'${state}'`).join(", ")})`,
    ]),
  ),
  "a failed message has a reason and a time":
    "(status = 'failed') <> (failure_code is not null and failed_at is not null)",
  "a delivered message has a time": "(status = 'delivered') <> (delivered_at is not null)",
  "a sent message has a time": "status in ('sent', 'delivered') and sent_at is null",
  "a received message is inbound": "(status = 'received') <> (direction = 'inbound')",
  "a direction is one of two": "direction not in ('outbound', 'inbound')",
  "a mode is one of two": "mode not in ('test', 'live')",
  "an encoding is one of three": "encoding not in ('gsm7', 'ucs2', 'gsm7_smart')",
  "only a queued message awaits a carrier": "awaiting_carrier and status <> 'queued'",
  "a message that awaits a carrier was submitted":
    "awaiting_carrier and (submitted_at is null or carrier is null)",
  "only a queued message waits for an attempt":
    "next_attempt_at is not null and status <> 'queued'",
  "money is reserved for queued messages only": "billing = 'reserved' and status <> 'queued'",
  "a message that failed unsent costs nothing":
    "status = 'failed' and sent_at is null and (price_micros <> 0 or billing in ('reserved', 'settled'))",
};

const UNLISTED = `
  select coalesce(m.id, s.id) as id, m.status, s.status as listed
    from (select shard, id, status from messages where not from_service) as m
    full join message_statuses s on s.shard = m.shard and s.id = m.id
   where m.status is distinct from s.status limit 3`;

const UNAWAITED = `
  select m.id, m.next_attempt_at from messages m
   where m.next_attempt_at is not null and not exists (
     select 1 from due_attempts d
      where d.shard = m.shard and m.id = any (d.message_ids) and d.due_at >= m.next_attempt_at)
   limit 3`;

/** One query for all invariants, because many tests run it at their end. */
const BROKEN_MESSAGES = Object.entries(BROKEN)
  .map(
    ([rule, condition]) =>
      `(select '${rule.replaceAll("'", "''")}' as rule, m.id, to_json(m) as message from messages m where ${condition} limit 3)`,
  )
  .join(" union all ");

export async function assertMessagesWhole(rows: Rows): Promise<void> {
  assert.deepEqual(await rows(BROKEN_MESSAGES), []);
  assert.deepEqual(await rows(UNLISTED), [], "message_statuses has the status of every message");
  assert.deepEqual(await rows(UNAWAITED), [], "due_attempts covers every next attempt");
}
