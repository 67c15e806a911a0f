import { performance } from "node:perf_hooks";
import pg from "pg";
import { fromApiId } from "../packages/server/src/core/platform/ids.ts";
import { type Check, defineBench } from "./define.ts";
import { liveSending } from "./message-load.ts";
import type { Server } from "./server.ts";

const LIMIT_USD = 1_000_000;
const LIMITED_RATIO_MIN = 0.97;
const TEXTS = 5_000_000;
const HOURS = 24;
const NUMBERS = 100;
const DELIVERABILITY_MS_MAX = 100;
const ENTRIES = 1_000_000;
const FIRST_PAGE_MS_MAX = 20;
const REQUESTS = 30;

/** Spend limits, deliverability and audit logs: limits do not slow down sends, and counts are read fast. */
export const bench = defineBench({
  title: "An account's own services",
  async rows(stage) {
    const limited = async (server: Server) => {
      await server.request("PATCH", "/v1/spend-limit", { body: { monthly_limit_usd: LIMIT_USD } });
    };
    return [
      {
        ours: await liveSending(stage, "POST /v1/messages, live, with a spend limit", limited),
        other: await liveSending(stage, "the same without one"),
        floor: LIMITED_RATIO_MIN,
      },
    ];
  },
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const client = new pg.Client(server.connection);
    await client.connect();
    try {
      const account = fromApiId("account", server.accountId);
      await client.query(COUNTERS, [account, HOURS, NUMBERS, Math.ceil(TEXTS / (HOURS * NUMBERS))]);
      await client.query(ENTRIES_OF_A_MONTH, [account, ENTRIES]);
      await client.query("analyze delivery_hours, audit_log");
    } finally {
      await client.end();
    }
    return [
      await timed(
        server,
        `GET /v1/deliverability?hours=24, ${TEXTS.toLocaleString("en")} texts`,
        ["/v1/deliverability?hours=24"],
        DELIVERABILITY_MS_MAX,
      ),
      await timed(
        server,
        `first page of /v1/audit-logs, ${ENTRIES.toLocaleString("en")} entries`,
        [
          "",
          "?action=credit.created",
          "?actor=operator",
          "?created_before=2999-01-01T00:00:00Z",
        ].map((query) => `/v1/audit-logs${query}`),
        FIRST_PAGE_MS_MAX,
      ),
    ];
  },
});

/** Hourly counters that TEXTS messages would leave, over several numbers. */
const COUNTERS = `insert into delivery_hours
   (shard, account_id, mode, hour, number, carrier, sent, delivered, undelivered, refused)
 select 0, $1::uuid, 'test', date_trunc('hour', now()) - h * interval '1 hour',
        '+1415555' || lpad(n::text, 4, '0'), '', $4::int, $4::int - 10, 10, 0
   from generate_series(0, $2::int - 1) as h, generate_series(1, $3::int) as n`;

/** Audit log entries at most a second apart. Lists do not read their hashes. */
const ENTRIES_OF_A_MONTH = `insert into audit_log
   (shard, account_id, id, seq, action, actor_type, actor_id, actor_name, target_type, target_id, changes,
    ip, created_at, previous_hash, hash)
 select 0, $1::uuid,
        (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - $2::bigint + g), 12, '0') || '70008'
          || lpad(to_hex(g), 15, '0'))::uuid,
        1000 + g, case when g % 1000 = 0 then 'credit.created' else 'number.updated' end,
        case when g % 1000 = 0 then 'operator' else 'api_key' end,
        case when g % 1000 = 0 then null else 'key_01jd0000000000000000000000' end, 'bench', 'number',
        '+14155550100', '{}', null, now(), '\\x', '\\x'
   from generate_series(1, $2::bigint) as g`;

/** Measures requests to each path, after one that is not counted. */
async function timed(
  server: Server,
  name: string,
  paths: readonly string[],
  msMax: number,
): Promise<Check> {
  const taken: number[] = [];
  for (const path of paths) {
    await server.request("GET", path);
    for (let request = 0; request < REQUESTS; request += 1) {
      const start = performance.now();
      await server.request("GET", path);
      taken.push(performance.now() - start);
    }
  }
  taken.sort((a, b) => a - b);
  const p50 = taken[Math.floor(taken.length / 2)] ?? 0;
  const p95 = taken[Math.floor(taken.length * 0.95)] ?? 0;
  return {
    name,
    measured: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    limit: `p95 below ${msMax} ms`,
    holds: p95 < msMax,
  };
}
