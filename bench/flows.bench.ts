import pg from "pg";
import { type Check, defineBench } from "./define.ts";
import { CONNECTIONS, SANDBOX_NUMBER, sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";

const CONTACTS = 500;
const OCCURRENCES = 10_000;
const SLEEPING_RUNS = 100_000;
const OCCURRENCES_MS_MAX = 10_000;
const SEND_MS_MAX = 1_000;
const IDLE_MS = 10_000;
/** Maximum share of a core beyond the idle server's. */
const SLEEPING_CPU_MAX = 0.02;
const TRACK_RATIO_MIN = 0.6;
const POLL_MS = 50;

let shared: Promise<Server> | null = null;

/** One server with contacts and an automation whose runs start with a wait. */
function serverOf(stage: Stage): Promise<Server> {
  shared ??= prepare(stage);
  return shared;
}

async function prepare(stage: Stage): Promise<Server> {
  const server = await stage.server({ LOG_LEVEL: "error" });
  const contacts = Array.from({ length: CONTACTS }, (_, n) => ({ phone_number: phone(n) }));
  await server.request("POST", "/v1/contacts/import", { body: { contacts } });
  const send = { type: "send", from: SANDBOX_NUMBER, body: "Still there?" };
  const steps = [{ type: "wait", seconds: 30 * 86_400 }, send];
  const automation = { name: "Bench", trigger: { event: "joined" }, reentry: "any", steps };
  await server.request("POST", "/v1/automations", { body: automation });
  return server;
}

function phone(n: number): string {
  return `+1415555${2_000 + n}`;
}

/** Recurring schedules and automations: their speed, and their effect on single sends. */
export const bench = defineBench({
  title: "Schedules and automations",
  async rows(stage) {
    const server = await serverOf(stage);
    const bodies = Array.from({ length: CONTACTS }, (_, n) =>
      JSON.stringify({ event: "joined", phone_number: phone(n), properties: { plan: "gold" } }),
    );
    return [
      {
        ours: stage.load({
          name: "POST /v1/track that starts a run",
          url: `${server.url}/v1/track`,
          method: "POST",
          headers: { authorization: `Bearer ${server.testKey}` },
          bodies,
          connections: CONNECTIONS,
          statuses: [202],
        }),
        other: sandboxSending(stage, server, "POST /v1/messages, sandbox"),
        floor: TRACK_RATIO_MIN,
      },
    ];
  },
  async checks(stage) {
    const server = await serverOf(stage);
    return [await sleepingCheck(server), ...(await occurrencesChecks(server))];
  },
});

/** Processor use of the idle server, as a share of one core. */
async function idleCpu(server: Server): Promise<number> {
  const before = await server.metric("process_cpu_seconds_total");
  await sleep(IDLE_MS);
  return ((await server.metric("process_cpu_seconds_total")) - before) / (IDLE_MS / 1_000);
}

async function sleepingCheck(server: Server): Promise<Check> {
  await onDatabase(server, (client) => client.query("delete from automation_runs"));
  const without = await idleCpu(server);
  await onDatabase(server, (client) =>
    client.query(
      `insert into automation_runs (shard, account_id, id, automation_id, version, contact_id, phone_number, mode,
         reentry, status, position, properties, due_at, wait_until, started_at)
       select a.shard, a.account_id, gen_random_uuid(), a.id, 1, c.id, c.phone_number, 'test', 'any', 'running', '0',
              '{}', now() + interval '30 days', now() + interval '30 days', now()
         from automations a
         join contacts c on c.shard = a.shard and c.account_id = a.account_id
        cross join generate_series(1, $1::int / $2::int)`,
      [SLEEPING_RUNS, CONTACTS],
    ),
  );
  const withRuns = await idleCpu(server);
  return {
    name: `${SLEEPING_RUNS} sleeping runs, processor of the server`,
    measured: `${(without * 100).toFixed(1)} → ${(withRuns * 100).toFixed(1)} %`,
    limit: `+${SLEEPING_CPU_MAX * 100} %`,
    holds: withRuns - without <= SLEEPING_CPU_MAX,
  };
}

/** Lets occurrences fall due within one second while single sends continue. */
async function occurrencesChecks(server: Server): Promise<Check[]> {
  const dueAt = Date.now() + 3_000;
  await onDatabase(server, (client) =>
    client.query(
      `insert into schedules (shard, account_id, id, status, mode, to_number, sender, body, rrule, time_zone,
         next_at, due_at, created_at, updated_at)
       select a.shard, a.id, gen_random_uuid(), 'active', 'test', '+1415' || (2000000 + n), $1::text, 'Now',
              'FREQ=DAILY', 'America/New_York', at, at, at - interval '1 day', now()
         from accounts a, generate_series(1, $2::int) as n,
              lateral (select to_timestamp($3::float8 / 1000) + n % 1000 * interval '1 ms' as at) t
        where a.name = 'Default'`,
      [SANDBOX_NUMBER, OCCURRENCES, dueAt],
    ),
  );
  await sleep(Math.max(0, dueAt - Date.now()));
  let slowestMs = 0;
  for (;;) {
    const startedAt = performance.now();
    const body = { to: phone(0), from: SANDBOX_NUMBER, body: "Single" };
    await server.request("POST", "/v1/messages", { body });
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if ((await countSent(server)) >= OCCURRENCES) break;
    await sleep(POLL_MS);
  }
  const tookMs = Date.now() - dueAt;
  return [
    {
      name: `${OCCURRENCES} occurrences due in one second, all sent`,
      measured: `${(tookMs / 1_000).toFixed(1)} s`,
      limit: `under ${OCCURRENCES_MS_MAX / 1_000} s`,
      holds: tookMs < OCCURRENCES_MS_MAX,
    },
    {
      name: "The slowest single send meanwhile",
      measured: `${slowestMs.toFixed(0)} ms`,
      limit: `under ${SEND_MS_MAX} ms`,
      holds: slowestMs < SEND_MS_MAX,
    },
  ];
}

async function countSent(server: Server): Promise<number> {
  const { rows } = await onDatabase(server, (client) =>
    client.query("select count(*)::int as n from schedule_occurrences"),
  );
  return rows[0].n;
}

async function onDatabase<T>(server: Server, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
