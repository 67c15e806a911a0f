import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { startEmbedded } from "../packages/server/src/core/db/embedded/index.ts";
import type { Stage } from "./stage.ts";

const LOCAL_QUEUE_JOBS = 500;
const JOBS_AT_ONCE = 24;
const CONNECTIONS = 26;
const JOBS_PER_INSERT = 1_000;
/** No log: a line per job would be most of its work. */
const SILENT = new Logger(() => () => {});

/** Tables of the baseline, with less than ours: no index except keys, no checks, no money. */
const TABLES = `
  create table recipients (n int primary key, to_number text not null, state text not null, message_id uuid);
  create table messages (id uuid primary key, to_number text not null, body text not null, status text not null,
    created_at timestamptz not null);
  create table events (id bigserial primary key, type text not null, data json not null, created_at timestamptz not null);`;

const SEND = `
  with r as (
    update recipients set state = 'sent', message_id = gen_random_uuid() where n = $1 and state = 'waiting'
    returning message_id, to_number
  ), m as (
    insert into messages select message_id, to_number, $2, 'sent', now() from r
  )
  insert into events (type, data, created_at)
  select 'message.sent', json_build_object('message_id', message_id, 'to', to_number, 'status', 'sent'), now() from r`;

/**
 * Baseline of batches: a job per recipient on graphile-worker with its local queue, on a PostgreSQL with the
 * same settings. Returns a function that sends to all recipients and returns the rate; adding the jobs is not
 * counted.
 */
export async function prepareGraphile(
  stage: Stage,
  recipients: number,
): Promise<() => Promise<number>> {
  const dataDir = await mkdtemp(join(tmpdir(), "lw-bench-jobs-"));
  const postgres = await startEmbedded({ dataDir });
  stage.atEnd(async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const pgPool = new pg.Pool({ ...postgres.superuser, max: CONNECTIONS });
  pgPool.on("error", () => {});
  pgPool.on("connect", (client) => client.on("error", () => {}));
  stage.atEnd(() => pgPool.end());
  await pgPool.query(TABLES);
  const utils = await makeWorkerUtils({ pgPool, logger: SILENT });
  await utils.migrate();
  return async () => {
    await pgPool.query("truncate recipients, messages, events");
    await pgPool.query(
      `insert into recipients select n, '+1415' || (2000000 + n), 'waiting' from generate_series(0, $1 - 1) n`,
      [recipients],
    );
    for (let start = 0; start < recipients; start += JOBS_PER_INSERT) {
      const jobs = Array.from({ length: JOBS_PER_INSERT }, (_, index) => ({
        identifier: "send",
        payload: { n: start + index, body: `Hello Guest ${start + index}, your table is ready.` },
      }));
      await utils.addJobs(jobs);
    }
    return runJobs(pgPool, recipients);
  };
}

async function runJobs(pgPool: pg.Pool, recipients: number): Promise<number> {
  let left = recipients;
  let startedAt = 0;
  let allDone = () => {};
  const done = new Promise<void>((resolve) => {
    allDone = resolve;
  });
  const runner = await run({
    pgPool,
    logger: SILENT,
    noHandleSignals: true,
    concurrency: JOBS_AT_ONCE,
    preset: { worker: { localQueue: { size: LOCAL_QUEUE_JOBS } } },
    taskList: {
      async send(payload, { withPgClient }) {
        startedAt ||= performance.now();
        const { n, body } = payload as { n: number; body: string };
        await withPgClient((client) =>
          client.query({ name: "send", text: SEND, values: [n, body] }),
        );
        left -= 1;
        if (left === 0) allDone();
      },
    },
  });
  await done;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  return recipients / seconds;
}
