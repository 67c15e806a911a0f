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

/** One filter, or two, with every choice of values to ask it with. */
export interface Question {
  readonly name: string;
  /** Of the account that is asked. */
  readonly key: string;
  readonly queries: readonly string[];
}

interface Timing {
  readonly name: string;
  readonly ms: number;
  readonly query: string;
}

/** Every filter of GET /messages with values that many texts have, and few. */
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

/** No filter, every filter, and every pair of filters. */
export function questionsOf(stored: Stored): Question[] {
  const filters = Object.entries(valuesOf(stored));
  const texts = (name: string, values: readonly (string | number)[]) =>
    values.map((value) => `${name}=${encodeURIComponent(value)}`);
  const { key } = stored;
  const questions: Question[] = [{ name: "no filter", key, queries: [""] }];
  filters.forEach(([name, values], index) => {
    questions.push({ name, key, queries: texts(name, values) });
    for (const [other, otherValues] of filters.slice(index + 1)) {
      const queries = texts(name, values).flatMap((first) =>
        texts(other, otherValues).map((second) => `${first}&${second}`),
      );
      questions.push({ name: `${name} + ${other}`, key, queries });
    }
  });
  return questions;
}

/**
 * The first page of each, asked again and again: the p99 of each filter and pair, the first call
 * counted, and no other list before it. The client has asked for something else before: its own first call is
 * not the service's.
 */
export async function warmCheck(
  server: Server,
  whose: string,
  questions: readonly Question[],
): Promise<Check> {
  const timings: Timing[] = [];
  await ask(server, "/healthz");
  for (const { name, key, queries } of questions) {
    const asked: Timing[] = [];
    for (const query of queries) {
      for (let n = 0; n < WARM_REQUESTS; n += 1) {
        asked.push({ name, query, ms: await askList(server, key, query) });
      }
    }
    asked.sort((a, b) => a.ms - b.ms);
    const p99 = asked[Math.floor(asked.length * 0.99)];
    if (p99) timings.push(p99);
  }
  return checkOf(`${whose}, p99 of the first page, warm`, timings, WARM_P99_MS_MAX);
}

/** The first page of each after a start with empty caches, once. */
export async function coldCheck(server: Server, questions: readonly Question[]): Promise<Check> {
  const timings: Timing[] = [];
  let isCold = true;
  for (const { name, key, queries } of questions) {
    await server.restart(async () => {
      isCold &&= await dropPageCache();
    });
    for (const query of queries)
      timings.push({ name, query, ms: await askList(server, key, query) });
  }
  const caches = isCold ? "empty caches" : "an empty cache of PostgreSQL (root empties all)";
  return checkOf(`first page, cold: ${caches}`, timings, COLD_MS_MAX);
}

/** Only root may. */
async function dropPageCache(): Promise<boolean> {
  try {
    await run("sync");
    await writeFile("/proc/sys/vm/drop_caches", "3");
    return true;
  } catch {
    return false;
  }
}

function checkOf(what: string, timings: Timing[], msMax: number): Check {
  timings.sort((a, b) => b.ms - a.ms);
  const slowest = timings.slice(0, SLOWEST_SHOWN);
  for (const { query, ms } of slowest) console.error(`  ${what}: ${ms.toFixed(1)} ms for ${query}`);
  const names = new Set(timings.map((timing) => timing.name));
  const middle = timings[Math.floor(timings.length / 2)]?.ms ?? Number.NaN;
  const [worst] = slowest;
  return {
    name: `GET /v1/messages, ${names.size} filters and pairs, ${what}`,
    measured: `median ${middle.toFixed(1)} ms, slowest ${worst?.ms.toFixed(1)} ms (${worst?.name})`,
    limit: `< ${msMax} ms`,
    holds: worst !== undefined && worst.ms < msMax,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** How long one page takes, in ms. */
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
