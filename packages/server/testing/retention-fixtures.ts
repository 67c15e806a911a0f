import assert from "node:assert/strict";
import { keepPartitions } from "../src/core/db/schema/partitions.ts";
import { RETENTION, sweepExpired } from "../src/core/db/schema/retention.ts";
import { firstUuidAt } from "../src/core/platform/ids.ts";
import type { Kit } from "./kit.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Distinct ids of one time: the first id of that time, with a number at its end. */
const ID = "(substr($3::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid";

/** Rows that each message leaves in the tables. $1 shard, $2 account, $3 first id, $4 time, $5 rows. */
const ROWS_OF_MESSAGES: readonly string[] = [
  `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
     segments, price_micros, billing, simulated, created_at, sent_at, delivered_at)
   select $1::int, $2::uuid, ${ID}, 'outbound', 'delivered', 'live', '+14155550100', '+14155552671', 'Hi', 'gsm7',
     1, 0, 'none', false, $4::timestamptz, $4::timestamptz, $4::timestamptz from generate_series(1, $5::int) as n`,
  `insert into message_statuses (shard, account_id, id, mode, status, simulated)
   select $1::int, $2::uuid, ${ID}, 'live', 'delivered', false from generate_series(1, $5::int) as n`,
  `insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, submitted_at)
   select $1::int, $2::uuid, ${ID}, 1, 'link', 'accepted', $4::timestamptz from generate_series(1, $5::int) as n`,
  `insert into carrier_references (shard, account_id, message_id, carrier, reference, segment, created_at)
   select $1::int, $2::uuid, ${ID}, 'link', $3::text || n, 1, $4::timestamptz from generate_series(1, $5::int) as n`,
  `insert into carrier_inbox (shard, id, carrier, kind, dedupe_key, payload, received_at, handled_at)
   select $1::int, ${ID}, 'link', 'receipt', $2::text || $3::text || n, '{}', $4::timestamptz, $4::timestamptz
     from generate_series(1, $5::int) as n`,
  `insert into events (shard, account_id, seq, id, type, mode, data, created_at)
   select $1::int, $2::uuid, n, ${ID}, 'message.delivered', 'live', '{}', $4::timestamptz from generate_series(1, $5::int) as n`,
  `insert into webhook_deliveries (shard, account_id, mode, id, endpoint_id, event_id, event_type, attempt, ok, status_code,
     latency_ms, replay, created_at)
   select $1::int, $2::uuid, 'live', ${ID}, $2::uuid, ${ID}, 'message.delivered', 1, true, 200, 1, false, $4::timestamptz
     from generate_series(1, $5::int) as n`,
  `insert into idempotency_keys (shard, account_id, mode, key_hash, fingerprint, created_at, expires_at)
   select $1::int, $2::uuid, 'live', uuid_send(${ID}), '', $4::timestamptz, $4::timestamptz + interval '24 hours'
     from generate_series(1, $5::int) as n`,
  `insert into scheduled_messages (shard, account_id, id, status, mode, to_number, sender, body, scheduled_at,
     message_id, created_at)
   select $1::int, $2::uuid, ${ID}, 'sent', 'live', '+14155552671', '+14155550100', 'Hi', $4::timestamptz, ${ID}, $4::timestamptz
     from generate_series(1, $5::int) as n`,
  `insert into verification_hours (shard, account_id, mode, hour, started)
   select $1::int, $2::uuid, 'live', $4::timestamptz - n * interval '1 hour', 1 from generate_series(1, least($5::int, 20)) as n
   on conflict do nothing`,
  `insert into verification_phones (shard, account_id, mode, phone, sent_at_ms, updated_at)
   select $1::int, $2::uuid, 'live', $3::text || n, '{}', $4::timestamptz from generate_series(1, $5::int) as n`,
];

/** Inserts the rows of `messages` messages of one time into every table. */
export async function leaveTraffic(kit: Kit, messages: number, atMs: number): Promise<void> {
  const { shard, id } = kit.account;
  const values = [shard, id, firstUuidAt(atMs), new Date(atMs), messages];
  await Promise.all(
    ROWS_OF_MESSAGES.map((text) => {
      // The kit numbers parameters by position, so repeated ones are passed repeatedly.
      const named = [...text.matchAll(/\$(\d)/g)].map(([, number]) => values[Number(number) - 1]);
      return kit.rows(text, named);
    }),
  );
}

/** Deletes expired rows as the periodic tasks do, without their pauses. */
export async function forgetOld({ deps }: Kit): Promise<void> {
  await keepPartitions(deps);
  const clock = { ...deps.clock, sleep: async () => {} };
  await sweepExpired({ db: deps.db, shards: deps.shards, clock }, new AbortController().signal);
}

/**
 * Asserts that no table has rows expired for longer than `lateHours`. Monthly partitions are dropped only
 * after the end of their month.
 */
export async function assertNothingOld(kit: Kit, lateHours = 0): Promise<void> {
  const now = kit.deps.clock.now() - lateHours * HOUR_MS;
  for (const [table, retention] of Object.entries(RETENTION)) {
    if (retention.by === "partition" && retention.keepDays !== null) {
      const before = firstUuidAt(now - (retention.keepDays + 31) * DAY_MS);
      const old = await kit.rows(
        `select 1 from ${table} where ${retention.key} < $1::uuid limit 1`,
        [before],
      );
      assert.deepEqual(old, [], table);
    }
    if (retention.by !== "sweep") continue;
    for (const { age, keepHours, only = "true" } of retention.rules) {
      const beforeMs = now - keepHours * HOUR_MS;
      const before = age === "id" ? firstUuidAt(beforeMs) : new Date(beforeMs);
      const type = age === "id" ? "uuid" : "timestamptz";
      const old = await kit.rows(
        `select 1 from ${table} where ${age} < $1::${type} and ${only} limit 1`,
        [before],
      );
      assert.deepEqual(old, [], table);
    }
  }
}
