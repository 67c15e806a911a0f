import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { SUPERUSER } from "../../src/core/db/embedded/access.ts";
import { monthAt } from "../../src/core/db/schema/partitions.ts";
import { fromApiId } from "../../src/core/platform/ids.ts";

const REQUESTS = 1_000_000;
const MESSAGES = 1_000_000;
const DAY_MS = 86_400_000;
const REQUEST_DAYS = 3;

/** Id of row `n`, spread over a time range: $2 rows, $3 start and $4 length in milliseconds. */
const ID = `(lpad(to_hex($3::bigint + ($4::bigint * n / $2::int)), 12, '0') || '7'
  || lpad(to_hex(n & 4095), 3, '0') || '8' || substr(md5(n::text), 1, 15))::uuid`;
const AT = "to_timestamp(($3::bigint + ($4::bigint * n / $2::int)) / 1000.0)";
const ROWS = "generate_series(1, $2::int) as n";

/** $1 and $5 are the account and its shard. */
const REQUESTS_MADE = `
  insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed)
  select $5::int, ${ID}, $1, 'test', $1, 'POST', '/v1/messages', 201, 2, false from ${ROWS}`;

const MESSAGES_SENT = `
  insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
    segments, price_micros, billing, simulated, attempts, created_at, sent_at, delivered_at)
  select $5::int, $1, ${ID}, 'outbound', 'delivered', 'test', '+14155550100', '+1' || 2120000000 + n % 50000,
    'Hello, your order is on its way and arrives before noon.', 'gsm7', 1, 0, 'none', true, 1, ${AT}, ${AT}, ${AT}
    from ${ROWS}`;

const STATUSES_OF_MESSAGES = `
  insert into message_statuses (shard, account_id, mode, status, id, simulated)
  select $5::int, $1, 'test', 'delivered', ${ID}, true from ${ROWS}`;

/** Makes console users owners of the account; a visiting operator sees only a part of it. */
const MEMBERSHIPS = `
  insert into memberships (account_id, user_id, role, created_at) select $1, id, 'owner', now() from users
  on conflict do nothing`;

/**
 * Inserts the history of a busy account: a million logged requests and a million messages, into the
 * PostgreSQL that the server of this data folder runs.
 */
export async function fillBusyAccount(dataDir: string, accountId: string): Promise<void> {
  const client = new pg.Client(await connectionTo(dataDir));
  await client.connect();
  try {
    const id = fromApiId("account", accountId);
    const found = await client.query("select shard from accounts where id = $1", [id]);
    const shard = Number(found.rows[0]?.shard);
    const now = Date.now();
    // A new installation has no partitions for earlier months.
    const { startMs } = monthAt(now);
    const messageValues = [id, MESSAGES, startMs, now - startMs, shard];
    const requestsMs = REQUEST_DAYS * DAY_MS;
    await client.query(REQUESTS_MADE, [id, REQUESTS, now - requestsMs, requestsMs, shard]);
    await client.query(MESSAGES_SENT, messageValues);
    await client.query(STATUSES_OF_MESSAGES, messageValues);
    await client.query(MEMBERSHIPS, [id]);
    await client.query("select pg_notify('longwave_cache', 'console')");
    await client.query("vacuum analyze messages, message_statuses");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

/** Address from postmaster.pid: the port is in the fourth line, the socket folder in the fifth. */
async function connectionTo(dataDir: string): Promise<pg.ClientConfig> {
  const text = await readFile(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8");
  const [, , , port, host = ""] = text.split("\n");
  return { host, port: Number(port), user: SUPERUSER, database: "longwave" };
}
