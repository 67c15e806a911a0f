import { writeFile } from "node:fs/promises";
import { Agent, get, type OutgoingHttpHeaders } from "node:http";
import type { Check } from "./define.ts";
import { run } from "./processes.ts";
import type { Server } from "./server.ts";
import type { Stored } from "./stored-messages.ts";

const WARM_REQUESTS = 20;
const WARM_P99_MS_MAX = 20;
const COLD_MS_MAX = 1_000;
const DAY_MS = 86_400_000;
const SLOWEST_SHOWN = 3;

/** One or two filters, with every combination of values. */
export interface ListQuery {
  readonly name: string;
  /** Key of the account. */
  readonly key: string;
  readonly queries: readonly string[];
}

interface Timing {
  readonly name: string;
  readonly ms: number;
  readonly query: string;
}

/** Filters of GET /messages, each with frequent and rare values. */
function valuesOf(stored: Stored): Record<string, readonly (string | number)[]> {
  const { numbers, phones, customers, endMs, days } = stored;
  const someNumbers = [numbers[0] ?? "", numbers.at(-1) ?? "", phones.often, phones.rarely];
  const ago = (part: number) => Math.round(endMs - days * DAY_MS * part);
  return {
    number: someNumbers,
    to: someNumbers,
    from: someNumbers,
    status: ["queued", "sent", "delivered", "failed", "received"],
    direction: ["outbound", "inbound"],
    created_after: [ago(0.01), ago(0.9)],
    created_before: [ago(0.5), ago(0.99)],
    customer_id: [customers[0] ?? "", customers[1] ?? "", customers.at(-1) ?? ""],
  };
}

/** Queries without a filter, with every filter, and with every pair of filters. */
export function listQueriesOf(stored: Stored): ListQuery[] {
  const filters = Object.entries(valuesOf(stored));
  const parameters = (name: string, values: readonly (string | number)[]) =>
    values.map((value) => `${name}=${encodeURIComponent(value)}`);
  const { key } = stored;
  const listQueries: ListQuery[] = [{ name: "no filter", key, queries: [""] }];
  filters.forEach(([name, values], index) => {
    listQueries.push({ name, key, queries: parameters(name, values) });
    for (const [other, otherValues] of filters.slice(index + 1)) {
      const queries = parameters(name, values).flatMap((first) =>
        parameters(other, otherValues).map((second) => `${first}&${second}`),
      );
      listQueries.push({ name: `${name} + ${other}`, key, queries });
    }
  });
  return listQueries;
}

/**
 * Measures the p99 of the first page for every filter and pair, first calls included and no other list
 * before. A call of another route first excludes the client's own warm-up.
 */
export async function warmCheck(
  server: Server,
  account: string,
  listQueries: readonly ListQuery[],
): Promise<Check> {
  const timings: Timing[] = [];
  await ask(server, "/healthz");
  for (const { name, key, queries } of listQueries) {
    const pageTimings: Timing[] = [];
    for (const query of queries) {
      for (let n = 0; n < WARM_REQUESTS; n += 1) {
        pageTimings.push({ name, query, ms: await askList(server, key, query) });
      }
    }
    pageTimings.sort((a, b) => a.ms - b.ms);
    const p99 = pageTimings[Math.floor(pageTimings.length * 0.99)];
    if (p99) timings.push(p99);
  }
  return checkOf(`${account}, p99 of the first page, warm`, timings, WARM_P99_MS_MAX);
}

/** Measures the first page of each query once, after a start with empty caches. */
export async function coldCheck(server: Server, listQueries: readonly ListQuery[]): Promise<Check> {
  const timings: Timing[] = [];
  let isCold = true;
  for (const { name, key, queries } of listQueries) {
    await server.restart(async () => {
      isCold &&= await dropPageCache();
    });
    for (const query of queries)
      timings.push({ name, query, ms: await askList(server, key, query) });
  }
  const caches = isCold ? "empty caches" : "an empty cache of PostgreSQL (root empties all)";
  return checkOf(`first page, cold: ${caches}`, timings, COLD_MS_MAX);
}

/** Needs root. */
async function dropPageCache(): Promise<boolean> {
  try {
    await run("sync");
    await writeFile("/proc/sys/vm/drop_caches", "3");
    return true;
  } catch {
    return false;
  }
}

function checkOf(label: string, timings: Timing[], msMax: number): Check {
  timings.sort((a, b) => b.ms - a.ms);
  const slowest = timings.slice(0, SLOWEST_SHOWN);
  for (const { query, ms } of slowest)
    console.error(`  ${label}: ${ms.toFixed(1)} ms for ${query}`);
  const names = new Set(timings.map((timing) => timing.name));
  const middle = timings[Math.floor(timings.length / 2)]?.ms ?? Number.NaN;
  const [worst] = slowest;
  return {
    name: `GET /v1/messages, ${names.size} filters and pairs, ${label}`,
    measured: `median ${middle.toFixed(1)} ms, slowest ${worst?.ms.toFixed(1)} ms (${worst?.name})`,
    limit: `< ${msMax} ms`,
    holds: worst !== undefined && worst.ms < msMax,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Duration of one page in ms. */
function askList(server: Server, key: string, query: string): Promise<number> {
  return ask(server, `/v1/messages?${query}`, { authorization: `Bearer ${key}` });
}

function ask(server: Server, path: string, headers: OutgoingHttpHeaders = {}): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(server.url + path, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`));
      answer.resume().on("end", () => resolve(performance.now() - startedMs));
    });
    request.on("error", reject);
  });
}
