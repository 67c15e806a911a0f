import { measureCost } from "./cost.ts";
import { type Check, defineBench, type Measurement } from "./define.ts";
import { prepareGraphile } from "./graphile.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import { spreadOf } from "./table.ts";

const RECIPIENTS = 10_000;
const ACCOUNTS = 10;
const BATCHES_CHECKED = 5;
const POLL_MS = 50;
/** Number of the first run's account; other accounts use a number that every account may have. */
const FROM = "+15005550100";
const FROM_OTHERS = "+14155550100";

const REQUEST_MS_MAX = 1_000;
/** Recipients a second. */
const SENT_PER_SECOND_MIN = 12_000;
const RECEIPTS_PER_SECOND_MIN = 5_000;
const TOGETHER_RATIO_MIN = 0.9;
const MEMORY_GROWTH_MB_MAX = 64;
const MB = 1024 * 1024;

/** Timings of one batch. */
interface BatchTimes {
  readonly requestMs: number;
  readonly sendMs: number;
  readonly receiptsMs: number;
  /** Wall clock times of the response and of completion, in epoch milliseconds. */
  readonly answeredAt: number;
  readonly completedAt: number;
  readonly failed: number;
}

let shared: Promise<Server> | null = null;

/** One server for rows and checks. */
function serverOf(stage: Stage): Promise<Server> {
  shared ??= stage.server({ LOG_LEVEL: "error", LONGWAVE_BATCH_PACE: "0" });
  return shared;
}

/** Sandbox batches without pacing: from the request to the last receipt, all of it durable. */
export const bench = defineBench({
  title: "Batches of 10,000",
  async rows(stage) {
    const server = await serverOf(stage);
    const runJobs = await prepareGraphile(stage, RECIPIENTS);
    return [
      {
        ours: {
          name: "A batch of 10,000, 201 to complete",
          async measure(): Promise<Measurement> {
            const { result, cost } = await measureCost(
              server,
              () => runBatch(server, server.testKey),
              () => RECIPIENTS,
            );
            return { perSecond: perSecond(result.sendMs), errors: result.failed, cost };
          },
        },
        other: {
          name: "graphile-worker, a job each",
          measure: async () => ({ perSecond: await runJobs(), errors: 0 }),
        },
        floor: 3,
      },
    ];
  },
  async checks(stage) {
    const server = await serverOf(stage);
    const rssBefore = await server.metric("process_resident_memory_bytes");
    const all: BatchTimes[] = [];
    for (let count = 0; count < BATCHES_CHECKED; count += 1) {
      all.push(await runBatch(server, server.testKey));
    }
    const medianOf = (pick: (times: BatchTimes) => number) => spreadOf(all.map(pick)).median;
    const failed = all.reduce((sum, times) => sum + times.failed, 0);
    const requestMs = medianOf((times) => times.requestMs);
    const sent = perSecond(medianOf((times) => times.sendMs));
    const receipts = perSecond(medianOf((times) => times.receiptsMs));
    const together = await runAll(server, [server.testKey, ...(await otherAccounts(server))]);
    const rssAfter = await server.metric("process_resident_memory_bytes");
    return [
      {
        name: "Request to 201, 10,000 recipients",
        measured: `${requestMs.toFixed(0)} ms`,
        limit: `under ${REQUEST_MS_MAX} ms`,
        holds: requestMs < REQUEST_MS_MAX && failed === 0,
      },
      rateCheck("201 to complete", sent, SENT_PER_SECOND_MIN),
      rateCheck("Receipts, first to last", receipts, RECEIPTS_PER_SECOND_MIN),
      {
        name: "Ten accounts' batches at once, in sum",
        measured: `${together.toFixed(0)}/s, ${(together / sent).toFixed(2)} of one`,
        limit: `${TOGETHER_RATIO_MIN} of one`,
        holds: together / sent >= TOGETHER_RATIO_MIN,
      },
      memoryCheck(rssBefore, rssAfter),
    ];
  },
});

function perSecond(ms: number): number {
  return (RECIPIENTS * 1_000) / ms;
}

function rateCheck(name: string, rate: number, min: number): Check {
  return { name, measured: `${rate.toFixed(0)}/s`, limit: `${min}/s`, holds: rate >= min };
}

function memoryCheck(before: number, after: number): Check {
  const growth = (after - before) / MB;
  return {
    name: `Resident memory over ${BATCHES_CHECKED + ACCOUNTS} batches`,
    measured: `${(before / MB).toFixed(0)} → ${(after / MB).toFixed(0)} MB`,
    limit: `+${MEMORY_GROWTH_MB_MAX} MB`,
    holds: growth <= MEMORY_GROWTH_MB_MAX,
  };
}

async function otherAccounts(server: Server): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 1; index < ACCOUNTS; index += 1) {
    const account = (await server.operator("POST", "/accounts", { name: `Account ${index}` })) as {
      id: string;
    };
    await server.operator("PATCH", `/accounts/${account.id}`, { rate_limit: 1_000_000 });
    const path = `/accounts/${account.id}/keys`;
    const { key } = (await server.operator("POST", path, { mode: "test" })) as { key: string };
    await call(server, key, "POST", "/numbers", { phone_number: FROM_OTHERS });
    keys.push(key);
  }
  return keys;
}

async function call(server: Server, key: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely
  return answer.json() as Promise<any>;
}

/** Runs one batch, from the request to its last receipt. */
async function runBatch(server: Server, key: string): Promise<BatchTimes> {
  const body = {
    from: key === server.testKey ? FROM : FROM_OTHERS,
    body: "Hello {{name}}, your table is ready.",
    recipients: Array.from({ length: RECIPIENTS }, (_, index) => ({
      to: `+1415${2_000_000 + index}`,
      variables: { name: `Guest ${index}` },
    })),
  };
  const startedAt = performance.now();
  const { id } = await call(server, key, "POST", "/batches", body);
  const answeredAt = Date.now();
  const requestMs = performance.now() - startedAt;
  const batch = await poll(
    () => call(server, key, "GET", `/batches/${id}`),
    (read) => read.status === "complete",
  );
  await poll(
    () => call(server, key, "GET", `/batches/${id}/results`),
    (results) => results.pending === 0,
  );
  const completedAt = Date.parse(batch.completed_at);
  return {
    requestMs,
    answeredAt,
    completedAt,
    sendMs: completedAt - answeredAt,
    receiptsMs: await receiptsMs(server, key, id),
    failed: RECIPIENTS - batch.counts.sent,
  };
}

async function poll<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Time from the batch's first receipt to its last. Receipts arrive while the batch is still being sent. */
async function receiptsMs(server: Server, key: string, id: string): Promise<number> {
  const { data } = await call(server, key, "GET", `/batches/${id}/recipients?limit=1`);
  const first = await call(server, key, "GET", `/messages/${data[0].message_id}`);
  const events = await call(server, key, "GET", "/events?type=message.delivered&limit=1");
  return Date.parse(events.data[0].created_at) - Date.parse(first.delivered_at);
}

/** Runs a batch of each account at the same time; returns their total rate, from first to last. */
async function runAll(server: Server, keys: readonly string[]): Promise<number> {
  const all = await Promise.all(keys.map((key) => runBatch(server, key)));
  const from = Math.min(...all.map((times) => times.answeredAt));
  const to = Math.max(...all.map((times) => times.completedAt));
  return keys.length * perSecond(to - from);
}
