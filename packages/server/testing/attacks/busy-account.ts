import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { SUPERUSER } from "../../src/core/db/embedded/access.ts";
import { monthAt } from "../../src/core/db/schema/partitions.ts";
import { fromApiId } from "../../src/core/platform/ids.ts";

const REQUESTS = 1_000_000;
const TEXTS = 1_000_000;
const DAY_MS = 86_400_000;
const REQUEST_DAYS = 3;

/** The id of row `n` of so many, from a moment on and for so long: $2 rows, $3 and $4 milliseconds. */
const ID = `(lpad(to_hex($3::bigint + ($4::bigint * n / $2::int)), 12, '0') || '7'
  || lpad(to_hex(n & 4095), 3, '0') || '8' || substr(md5(n::text), 1, 15))::uuid`;
const AT = "to_timestamp(($3::bigint + ($4::bigint * n / $2::int)) / 1000.0)";
const ROWS = "generate_series(1, $2::int) as n";

/** $1 and $5 are the account and its shard. */
const REQUESTS_MADE = `
  insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed)
  select $5::int, ${ID}, $1, 'test', $1, 'POST', '/v1/messages', 201, 2, false from ${ROWS}`;

const TEXTS_SENT = `
  insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, attempts, created_at, sent_at, delivered_at)
  select $5::int, $1, ${ID}, 'outbound', 'delivered', 'test', '+14155550100', '+1' || 2120000000 + n % 50000,
    'Hello, your order is on its way and arrives before noon.', 'gsm7', 1, 0, 'none', true, 1, ${AT}, ${AT}, ${AT}
    from ${ROWS}`;

const STATUSES_OF_TEXTS = `
  insert into message_statuses (shard, account_id, status, id, simulated)
  select $5::int, $1, 'delivered', ${ID}, true from ${ROWS}`;

/** Whoever has come to the console has a place in the account: to visit is to look at a part of it alone. */
const MEMBERSHIPS = `
  insert into memberships (account_id, user_id, role, created_at) select $1, id, 'owner', now() from users
  on conflict do nothing`;

/**
 * What an account leaves behind that has been busy for days: a million requests in the log and a million
 * texts, made by the PostgreSQL that the server on this data folder runs.
 */
export async function leavePast(dataDir: string, accountId: string): Promise<void> {
  const client = new pg.Client(await connectionTo(dataDir));
  await client.connect();
  try {
    const id = fromApiId("account", accountId);
    const found = await client.query("select shard from accounts where id = $1", [id]);
    const shard = Number(found.rows[0]?.shard);
    const now = Date.now();
    // The months before this one have no partitions in a new installation.
    const { startMs } = monthAt(now);
    const texts = [id, TEXTS, startMs, now - startMs, shard];
    const requestsMs = REQUEST_DAYS * DAY_MS;
    await client.query(REQUESTS_MADE, [id, REQUESTS, now - requestsMs, requestsMs, shard]);
    await client.query(TEXTS_SENT, texts);
    await client.query(STATUSES_OF_TEXTS, texts);
    await client.query(MEMBERSHIPS, [id]);
    await client.query("select pg_notify('longwave_cache', 'console')");
    await client.query("vacuum analyze messages, message_statuses");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

/** As the file says that a postmaster writes: its port is in the fourth line, its sockets in the fifth. */
async function connectionTo(dataDir: string): Promise<pg.ClientConfig> {
  const text = await readFile(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8");
  const [, , , port, host = ""] = text.split("\n");
  return { host, port: Number(port), user: SUPERUSER, database: "longwave" };
}
