import assert from "node:assert/strict";
import { MACHINES } from "@longwave/contract";

type Rows = (text: string, values?: readonly unknown[]) => Promise<unknown[]>;

/**
 * What is true of every message, whatever happened to it. The table does not check it on every write:
 * texts change in few places, and this looks at what those leave behind.
 */
const BROKEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    MACHINES.filter((machine) => machine.table === "messages").map((machine) => [
      `the ${machine.column} is one of its machine's`,
      `${machine.column} not in (${machine.states.map((state) => `'${state}'`).join(", ")})`,
    ]),
  ),
  "a failed text says why and when":
    "(status = 'failed') <> (failure_code is not null and failed_at is not null)",
  "a delivered text says when": "(status = 'delivered') <> (delivered_at is not null)",
  "a text that was sent says when": "status in ('sent', 'delivered') and sent_at is null",
  "what is received is inbound": "(status = 'received') <> (direction = 'inbound')",
  "a direction is one of two": "direction not in ('outbound', 'inbound')",
  "a mode is one of two": "mode not in ('test', 'live')",
  "an encoding is one of three": "encoding not in ('gsm7', 'ucs2', 'gsm7_smart')",
  "only a queued text is out": "awaiting_carrier and status <> 'queued'",
  "a text that is out was handed over":
    "awaiting_carrier and (submitted_at is null or carrier is null)",
  "only a queued text waits": "next_attempt_at is not null and status <> 'queued'",
  "money is held for queued texts alone": "billing = 'reserved' and status <> 'queued'",
  "a text that failed unsent costs nothing":
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

/** One look for all of them: it is called at the end of many tests. */
const BROKEN_MESSAGES = Object.entries(BROKEN)
  .map(
    ([rule, condition]) =>
      `(select '${rule.replaceAll("'", "''")}' as rule, m.id, to_json(m) as message from messages m where ${condition} limit 3)`,
  )
  .join(" union all ");

export async function assertMessagesWhole(rows: Rows): Promise<void> {
  assert.deepEqual(await rows(BROKEN_MESSAGES), []);
  assert.deepEqual(await rows(UNLISTED), [], "every text is listed by the status it has");
  assert.deepEqual(await rows(UNAWAITED), [], "what falls due is looked at then");
}
