import pg from "pg";
import { OWNER, startEmbedded } from "../packages/server/src/core/db/embedded/index.ts";
import { monthAt } from "../packages/server/src/core/db/schema/partitions.ts";
import { firstUuidAt, fromApiId } from "../packages/server/src/core/platform/ids.ts";
import { SANDBOX_NUMBER } from "./message-load.ts";
import type { Server } from "./server.ts";

const DAYS = 92;
const DAY_MS = 86_400_000;
const PHONES = 500_000;
/** Numbers of the account. The first exists already; the last is rarely used. */
const NUMBERS = [SANDBOX_NUMBER, ...[1, 2, 3, 4, 5].map((n) => `+1415555010${n}`)];

/** Values in the rows of one account, frequent and rare, to query for. */
export interface Stored {
  readonly key: string;
  readonly numbers: readonly string[];
  readonly phones: { readonly often: string; readonly rarely: string };
  /** API ids, by descending number of messages. */
  readonly customers: readonly string[];
  readonly endMs: number;
  readonly days: number;
}

/**
 * Distribution of an account's messages, as SQL over random draws between 0 and 1 and the message's number
 * `n`.
 */
interface Population {
  readonly accountId: string;
  readonly key: string;
  readonly customers: readonly string[];
  /** Share of all rows. */
  readonly share: number;
  readonly account: string;
  readonly status: string;
  /** Index of the customer, from 1; null for none. */
  readonly customer: string;
  /** Skew of the phones: the larger, the fewer phones have most messages. */
  readonly phonePower: number;
}

/**
 * Three months of realistic messages: few values are frequent and many rare. 5,700 of 5,000,000 messages
 * are to or from one phone, 82,000 of one customer, and a third of one number. A fifth belongs to other accounts.
 */
async function ordinary(server: Server): Promise<Population> {
  const customers = await makeCustomers(server, server.testKey, 200);
  return {
    accountId: server.accountId,
    key: server.testKey,
    customers,
    share: 1,
    account: `case when account_draw < 0.8 then $1::uuid
                   else md5('account ' || floor(account_draw * 100))::uuid end`,
    status: `case when status_draw < 0.88 then 'delivered' when status_draw < 0.92 then 'failed'
                  when status_draw < 0.99 then 'received' when status_draw < 0.9998 then 'sent'
                  else 'queued' end`,
    customer: `case when customer_draw < 0.7
                    then 1 + floor(${customers.length} * (customer_draw / 0.7) ^ 1.5)::int end`,
    phonePower: 2,
  };
}

/**
 * Worst case for lists: nearly all messages are `sent` and a hundred of a million `delivered`; all belong to
 * few customers, and most go to few phones.
 */
async function lopsided(server: Server): Promise<Population> {
  const { id } = await server.operator<{ id: string }>("POST", "/accounts", { name: "Lopsided" });
  const { key } = await server.operator<{ key: string }>("POST", `/accounts/${id}/keys`, {
    mode: "test",
  });
  await server.operator("PATCH", `/accounts/${id}`, { rate_limit: 1_000_000 });
  const customers = await makeCustomers(server, key, 50);
  return {
    accountId: id,
    key,
    customers,
    share: 0.2,
    account: "$1::uuid",
    status: "case when n % 10000 = 5000 then 'delivered' else 'sent' end",
    customer: `1 + floor(${customers.length} * customer_draw ^ 3)::int`,
    phonePower: 6,
  };
}

async function makeCustomers(server: Server, key: string, count: number): Promise<string[]> {
  const customers: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = { name: `Customer ${index}` };
    const { id } = await server.request<{ id: string }>("POST", "/v1/customers", { body, key });
    customers.push(id);
  }
  return customers;
}

/**
 * Stores messages of three months in an ordinary and a lopsided account. PostgreSQL generates them while the
 * server is stopped; the API would take half an hour.
 */
export async function storeMessages(
  server: Server,
  rows: number,
): Promise<{ ordinary: Stored; lopsided: Stored }> {
  for (const phone_number of NUMBERS.slice(1)) {
    await server.request("POST", "/v1/numbers", { body: { phone_number } });
  }
  const populations = [await ordinary(server), await lopsided(server)] as const;
  const endMs = Date.now();
  await server.restart(async () => {
    // Minimal WAL: after a crash the benchmark starts again.
    const settings = { wal_level: "minimal", max_wal_senders: "0", maintenance_work_mem: "512MB" };
    const postgres = await startEmbedded({ dataDir: server.folder, settings });
    const client = new pg.Client(postgres.superuser);
    await client.connect();
    try {
      await fillMonths(client, populations, rows, endMs);
    } finally {
      await client.end();
      await postgres.stop();
    }
  });
  const storedOf = ({ key, customers }: Population): Stored => ({
    key,
    numbers: NUMBERS,
    phones: { often: phoneAt(0), rarely: phoneAt(PHONES - 1) },
    customers,
    endMs,
    days: DAYS,
  });
  return { ordinary: storedOf(populations[0]), lopsided: storedOf(populations[1]) };
}

/** Creates partitions month by month, as the server would. */
async function fillMonths(
  client: pg.Client,
  populations: readonly Population[],
  rows: number,
  endMs: number,
): Promise<void> {
  const startMs = endMs - DAYS * DAY_MS;
  await client.query(`set role ${OWNER}`);
  await client.query("select setseed(0.5)");
  for (let ms = startMs; ms < endMs; ms = monthAt(ms, 1).startMs) {
    const month = monthAt(ms);
    const partMs = Math.min(month.endMs, endMs) - ms;
    const partRows = (rows * partMs) / (endMs - startMs);
    const name = `messages_${new Date(ms).toISOString().slice(0, 7).replace("-", "_")}`;
    console.error(`  ${name}: ${partRows.toFixed(0)} rows`);
    await client.query("begin");
    // Attached with its rows, so that indexes are built at once and not per row.
    await client.query(`drop table if exists ${name}`);
    await client.query(
      `create table ${name} (like messages including defaults including constraints)`,
    );
    for (const population of populations) {
      await client.query(fillOf(name, population), [
        fromApiId("account", population.accountId),
        NUMBERS,
        population.customers.map((id) => fromApiId("customer", id)),
        ms,
        partMs,
        Math.round(partRows * population.share),
      ]);
    }
    const range = `from ('${firstUuidAt(month.startMs)}') to ('${firstUuidAt(month.endMs)}')`;
    await client.query(`alter table messages attach partition ${name} for values ${range}`);
    const statuses = name.replace("messages", "message_statuses");
    await client.query(`drop table if exists ${statuses}`);
    await client.query(`create table ${statuses} (like message_statuses including defaults)`);
    await client.query(
      `insert into ${statuses} (shard, account_id, mode, status, id, simulated)
       select shard, account_id, mode, status, id, simulated from ${name} where not from_service order by id`,
    );
    await client.query(
      `alter table message_statuses attach partition ${statuses} for values ${range}`,
    );
    await client.query("commit");
  }
  await client.query("reset role");
  await client.query("vacuum analyze messages, message_statuses");
  await client.query("checkpoint");
}

function phoneAt(index: number): string {
  return `+1${2_120_000_000 + index}`;
}

/**
 * Parameters: $1 account, $2 our numbers, $3 customers, $4 start and $5 length in ms, $6 rows. Customers of
 * the first half have their own number, so that some frequent customers and numbers have no messages in
 * common.
 */
function fillOf(table: string, population: Population): string {
  const { account, status, customer, customers, phonePower } = population;
  return `
  insert into ${table} (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, customer_id, attempts, failure_code, carrier_code, created_at,
    sent_at, delivered_at, failed_at)
  select 0, account_id, id, case status when 'received' then 'inbound' else 'outbound' end, status, 'test',
         case status when 'received' then phone else number end,
         case status when 'received' then number else phone end,
         'Hello, your order ' || n || ' is on its way and arrives before noon. Reply STOP to opt out.',
         'gsm7', 1, 0, 'none', true, customer_id, case status when 'received' then 0 else 1 end,
         case status when 'failed' then 'unreachable' end, case status when 'failed' then 'sim:unreachable' end,
         at, case when status in ('sent', 'delivered', 'failed') then at end,
         case status when 'delivered' then at + interval '1 s' end,
         case status when 'failed' then at + interval '1 s' end
    from (
      select n, to_timestamp(ms / 1000.0) as at, status,
             (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0') || '8'
               || substr(md5(n || $1::text), 1, 15))::uuid as id,
             ${account} as account_id,
             '+1' || (2120000000 + floor(${PHONES} * phone_draw ^ ${phonePower})) as phone,
             ($3::uuid[])[customer] as customer_id,
             ($2::text[])[case when number_draw < 0.0001 then 6
                               when customer <= ${customers.length / 2} then 1 + customer % 5
                               else 1 + floor(5 * number_draw ^ 2) end] as number
        from (
          select n, $4::bigint + ($5::bigint * n::numeric / ($6::int + 1))::bigint as ms, ${status} as status,
                 ${customer} as customer, number_draw, phone_draw, account_draw
            from (select n::bigint, random() as status_draw, random() as customer_draw, random() as number_draw,
                         random() as phone_draw, random() as account_draw
                    from generate_series(1, $6::int) as n) as draws
        ) as drawn
    ) as made`;
}
