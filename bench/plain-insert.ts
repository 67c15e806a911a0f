/**
 * Baseline of a single client: a Fastify that stores each message with one plain INSERT and its own commit.
 * Its table has the columns and indexes that `messages` once had, because a stored message must be found
 * again. It checks no rule and writes no event, counter, receipt or notification. Both respond over HTTP, so
 * the difference is the service's work beyond the INSERT.
 */
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fastify } from "fastify";
import pg from "pg";
import { systemClock } from "../packages/server/src/core/platform/clock.ts";
import { createIds } from "../packages/server/src/core/platform/ids.ts";
import { systemRandom } from "../packages/server/src/core/platform/random.ts";

interface Message {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

const INSERT = `
  insert into plain_messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
    encoding, segments, price_micros, billing, simulated, attempts, created_at, sent_at)
  values (0, $1, $2, 'outbound', 'sent', 'test', $3, $4, $5, 'gsm7', 1, 0, 'none', true, 1, now(), now())
  returning *`;

/**
 * Columns, checks and indexes of `messages` as of 15 November 2026. The table never changes: a baseline that
 * changed with our table would hide gains and losses.
 */
const TABLE = `
  create table plain_messages (
    shard integer not null,
    account_id uuid not null,
    id uuid not null,
    direction text not null check (direction in ('outbound', 'inbound')),
    status text not null check (status in ('queued', 'sent', 'delivered', 'failed', 'received')),
    mode text not null check (mode in ('test', 'live')),
    from_number text not null,
    to_number text not null,
    body text not null,
    encoding text not null check (encoding in ('gsm7', 'ucs2')),
    segments integer not null,
    price_micros bigint not null,
    billing text not null check (billing in ('none', 'allowance', 'reserved', 'settled', 'released')),
    simulated boolean not null,
    auto_reply boolean not null default false,
    customer_id uuid,
    pool_id uuid,
    batch_id uuid,
    batch_index integer,
    scheduled_message_id uuid,
    attempts integer not null default 0,
    next_attempt_at timestamptz,
    receipt_due_at timestamptz,
    failure_code text,
    carrier_code text,
    carrier text,
    created_at timestamptz not null,
    sent_at timestamptz,
    delivered_at timestamptz,
    failed_at timestamptz,
    verification_id uuid,
    from_service boolean not null default false,
    primary key (shard, id),
    check (status <> 'failed' or (failure_code is not null and failed_at is not null)),
    check (status <> 'delivered' or delivered_at is not null),
    check (status not in ('sent', 'delivered') or sent_at is not null),
    check (status = 'received' or direction = 'outbound'),
    check (receipt_due_at is null or status = 'sent')
  );
  create index on plain_messages (shard, account_id, status, id desc) where not from_service;
  create index on plain_messages (shard, account_id, to_number, status, id desc) where not from_service;
  create index on plain_messages (shard, account_id, from_number, status, id desc) where not from_service;
  create index on plain_messages (shard, account_id, customer_id, status, id desc, from_number, to_number)
    where customer_id is not null;
  create index on plain_messages (shard, batch_id, batch_index) where batch_id is not null;
  create index on plain_messages (shard, next_attempt_at) where next_attempt_at is not null;
  create index on plain_messages (shard, receipt_due_at) where receipt_due_at is not null;`;

const { connection } = JSON.parse(await text(process.stdin)) as { connection: pg.ClientConfig };
const client = new pg.Client(connection);
await client.connect();
await client.query(TABLE);
const ids = createIds(systemClock(), systemRandom());
const accountId = ids.make();

const app = fastify({ logger: false });
app.post("/messages", async (request, reply) => {
  const { from, to, body } = request.body as Message;
  const values = [accountId, ids.make(), from, to, body];
  const { rows } = await client.query({ name: "plain_insert", text: INSERT, values });
  return reply.code(201).send(rows[0]);
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`ready ${(app.server.address() as AddressInfo).port}`);
