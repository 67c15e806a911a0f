import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { measureCost } from "./cost.ts";
import { type Check, defineBench, type Measurement } from "./define.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";

const IMPORTED = 100_000;
const ROWS_PER_REQUEST = 500;
const REQUESTS_AT_ONCE = 8;
const STORED_MAX = 1_000_000;
const BATCH = 10_000;

const IMPORT_PER_SECOND_MIN = 15_000;
const SEARCH_P99_MS_MAX = 50;
const SEGMENT_MS_MAX = 300;
const BATCH_RATIO_MIN = 0.8;
const EXPORT_GROWTH_MB_MAX = 64;
const MB = 1024 * 1024;
const FROM = "+15005550100";
const RANGES = 200_000;
const NUMBERING_SECONDS_MAX = 10;

const FIRST =
  "Ann Bob Cara Dmitri Elena Farid Grace Hugo Iris Jonas Kayla Liam Maria Nora Omar Priya Quinn Rosa Sven Tara".split(
    " ",
  );
const LAST =
  "Abbott Baker Castillo Dvorak Eriksen Fischer Gupta Haddad Ivanov Jensen Kowalski Lopez Murphy Nguyen Olsen Park Quist Rossi Sato Xu".split(
    " ",
  );
const COMPANY = "Acme Borealis Contoso Delta Evergreen Fabrikam Globex Hooli Initech Juniper".split(
  " ",
);

/** Generated contacts with realistic names, addresses and tags, and distinct phones. */
function person(n: number) {
  const first = FIRST[n % FIRST.length] ?? "";
  const last = LAST[Math.floor(n / FIRST.length) % LAST.length] ?? "";
  return {
    phone_number: `+1${212 + Math.floor(n / 7_000_000)}${2_000_000 + (n % 7_000_000)}`,
    name: `${first} ${last}`,
    email: `${first}.${last}${n}@example.com`.toLowerCase(),
    company: `${COMPANY[n % COMPANY.length]} ${n % 97}`,
    tags: [`list ${n % 10}`, ...(n % 1_000 === 0 ? ["rare"] : [])],
    attributes: { plan: n % 3 === 0 ? "gold" : "free", city: `City ${n % 50}` },
  };
}

async function call(server: Server, method: string, path: string, body?: unknown) {
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely
  return server.request<any>(method, `/v1${path}`, body === undefined ? {} : { body });
}

/** Imports `count` contacts; returns the duration in ms. */
async function importPeople(server: Server, from: number, count: number): Promise<number> {
  let next = from;
  const startedAt = performance.now();
  const work = async () => {
    while (next < from + count) {
      const first = next;
      next += ROWS_PER_REQUEST;
      const contacts = Array.from({ length: ROWS_PER_REQUEST }, (_, n) => person(first + n));
      await call(server, "POST", "/contacts/import", { contacts });
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
  return performance.now() - startedAt;
}

let shared: Promise<Server> | null = null;
let imported = 0;

function serverOf(stage: Stage): Promise<Server> {
  shared ??= stage.server({ LOG_LEVEL: "error", LONGWAVE_BATCH_PACE: "0" });
  return shared;
}

async function importRound(server: Server): Promise<Measurement> {
  const ms = await importPeople(server, imported, IMPORTED);
  imported += IMPORTED;
  return { perSecond: (IMPORTED * 1_000) / ms, errors: 0 };
}

/** Baseline: the same rows by one COPY into a table without indexes. */
async function prepareCopy(stage: Stage, server: Server): Promise<() => Promise<Measurement>> {
  const client = new pg.Client(server.connection);
  await client.connect();
  stage.atEnd(() => client.end());
  await client.query(
    "create table bare_contacts (phone_number text, name text, email text, company text, tags text[], attributes jsonb)",
  );
  const file = join(server.folder, "contacts.txt");
  const lines = Array.from({ length: IMPORTED }, (_, n) => {
    const { phone_number, name, email, company, tags, attributes } = person(n);
    const list = `{${tags.map((tag) => `"${tag}"`).join(",")}}`;
    return [phone_number, name, email, company, list, JSON.stringify(attributes)].join("\t");
  });
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o644 });
  return async () => {
    const startedAt = performance.now();
    await client.query(`copy bare_contacts from '${file}'`);
    const ms = performance.now() - startedAt;
    await client.query("truncate bare_contacts");
    return { perSecond: (IMPORTED * 1_000) / ms, errors: 0 };
  };
}

/**
 * Imports contacts up to a total. Reports processor time, too, because it does not depend on the machine's
 * other load.
 */
async function fillCheck(server: Server, count: number): Promise<Check> {
  const { result: ms, cost } = await measureCost(
    server,
    () => importPeople(server, imported, count),
    () => count,
  );
  imported += count;
  const rate = (count * 1_000) / ms;
  const takes = `node ${cost.nodeMicros.toFixed(0)} µs, PostgreSQL ${cost.postgresMicros.toFixed(0)} µs each`;
  return {
    name: `Contacts imported a second, filling the table to ${imported}`,
    measured: `${rate.toFixed(0)}/s (${takes}, ${cost.walBytes.toFixed(0)} bytes of log)`,
    limit: `${IMPORT_PER_SECOND_MIN}/s`,
    holds: rate >= IMPORT_PER_SECOND_MIN,
  };
}

/** Replaces numbering data by a file of the same size. */
async function numberingCheck(server: Server): Promise<Check> {
  const lines = Array.from({ length: RANGES }, (_, n) => {
    const range = `${200 + Math.floor(n / 800)}${200 + (n % 800)}`;
    return `${range},${n % 3 === 0 ? "landline" : "mobile"},Example Wireless ${n % 500},City ${n % 900},NY`;
  });
  const body = `npa_nxx,line_type,carrier,locality,region\n${lines.join("\n")}\n`;
  const token = (await readFile(join(server.folder, "operator-token"), "utf8")).trim();
  let seconds = 0;
  for (let round = 0; round < 2; round += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${server.url}/operator/v1/numbering`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
      body,
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
    seconds = (performance.now() - startedAt) / 1_000;
  }
  return {
    name: `Numbering data of ${RANGES} ranges, replaced`,
    measured: `${seconds.toFixed(1)} s`,
    limit: `under ${NUMBERING_SECONDS_MAX} s`,
    holds: seconds < NUMBERING_SECONDS_MAX,
  };
}

const SEARCHES = [
  "an",
  "xu",
  "zz",
  "q.",
  "7x",
  "ri",
  "@e",
  "0 ",
  "lopez",
  "maria l",
  "sato99",
  "globex 9",
  "quinn.xu12",
  "555",
  "2127654",
  "9871",
  "(212) 200-1",
  "e",
];

async function searchCheck(server: Server, stored: number): Promise<Check> {
  const times: number[] = [];
  let slowest = { ms: 0, q: "" };
  for (let round = 0; round < 12; round += 1) {
    for (const q of SEARCHES) {
      const startedAt = performance.now();
      await call(server, "GET", `/contacts?q=${encodeURIComponent(q)}`);
      const ms = performance.now() - startedAt;
      if (round === 0) continue;
      times.push(ms);
      if (ms > slowest.ms) slowest = { ms, q };
    }
  }
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  const p50 = times[Math.floor(times.length * 0.5)] ?? 0;
  return {
    name: `q over ${stored} contacts, two letters included`,
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (slowest: ${slowest.q})`,
    limit: `p99 under ${SEARCH_P99_MS_MAX} ms`,
    holds: p99 < SEARCH_P99_MS_MAX,
  };
}

async function segmentCheck(server: Server, stored: number): Promise<Check> {
  const filter = {
    all: [
      { field: "tag", op: "is", value: "list 3" },
      { field: "attributes.plan", op: "is", value: "gold" },
      { field: "name", op: "contains", value: "a" },
      { field: "opted_out", op: "is", value: false },
      { field: "created_at", op: "after", value: "2020-01-01T00:00:00Z" },
    ],
  };
  const { id } = await call(server, "POST", "/segments", { name: "Five", filter });
  const times: number[] = [];
  let size = 0;
  for (let round = 0; round < 9; round += 1) {
    const startedAt = performance.now();
    size = (await call(server, "GET", `/segments/${id}`)).size;
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const median = times[4] ?? 0;
  return {
    name: `A segment of five conditions over ${stored} contacts, counted`,
    measured: `${median.toFixed(0)} ms (${size} people)`,
    limit: `under ${SEGMENT_MS_MAX} ms`,
    holds: median < SEGMENT_MS_MAX,
  };
}

/** Time from the request to the first submitted message. */
async function startMs(server: Server, recipients: Record<string, unknown>): Promise<number> {
  const startedAt = performance.now();
  const { id } = await call(server, "POST", "/batches", {
    from: FROM,
    body: "Hi {{name}}",
    ...recipients,
  });
  for (;;) {
    const { counts, status } = await call(server, "GET", `/batches/${id}`);
    if (counts.sent > 0) {
      const ms = performance.now() - startedAt;
      if (status === "complete") return ms;
      await untilComplete(server, id);
      return ms;
    }
    await sleep(2);
  }
}

async function untilComplete(server: Server, id: string): Promise<void> {
  while ((await call(server, "GET", `/batches/${id}`)).status !== "complete") await sleep(50);
}

async function batchCheck(server: Server): Promise<Check> {
  const people = Array.from({ length: BATCH }, (_, n) => person(n));
  for (let from = 0; from < BATCH; from += ROWS_PER_REQUEST) {
    const contacts = people
      .slice(from, from + ROWS_PER_REQUEST)
      .map(({ phone_number }) => ({ phone_number, tags: ["chosen"] }));
    await call(server, "POST", "/contacts/import", { contacts });
  }
  const filter = { field: "tag", op: "is", value: "chosen" };
  const { id } = await call(server, "POST", "/segments", { name: "Chosen", filter });
  const recipients = people.map(({ phone_number, name }) => ({
    to: phone_number,
    variables: { name },
  }));
  const ratios: number[] = [];
  let [bySegment, byRecipients] = [0, 0];
  for (let round = 0; round < 5; round += 1) {
    byRecipients = await startMs(server, { recipients });
    bySegment = await startMs(server, { segment_id: id });
    ratios.push(byRecipients / bySegment);
  }
  ratios.sort((a, b) => a - b);
  const ratio = ratios[2] ?? 0;
  return {
    name: "A batch of 10,000 by segment starts as fast as by recipients",
    measured: `${ratio.toFixed(2)} (last: ${bySegment.toFixed(0)} and ${byRecipients.toFixed(0)} ms)`,
    limit: `at least ${BATCH_RATIO_MIN}`,
    holds: ratio >= BATCH_RATIO_MIN,
  };
}

async function exportCheck(server: Server, stored: number): Promise<Check> {
  const before = await server.metric("process_resident_memory_bytes");
  let most = before;
  const over = new AbortController();
  const watch = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await server.metric("process_resident_memory_bytes"));
      await sleep(250);
    }
  })();
  const startedAt = performance.now();
  const answer = await fetch(`${server.url}/v1/exports/contacts`, {
    headers: { authorization: `Bearer ${server.testKey}` },
  });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  const seconds = (performance.now() - startedAt) / 1_000;
  over.abort();
  await watch;
  const growth = (most - before) / MB;
  return {
    name: `Resident memory through an export of ${stored} contacts`,
    measured: `+${growth.toFixed(0)} MB at most, ${(bytes / MB).toFixed(0)} MB in ${seconds.toFixed(0)} s`,
    limit: `+${EXPORT_GROWTH_MB_MAX} MB`,
    holds: growth <= EXPORT_GROWTH_MB_MAX,
  };
}

/** Contacts: import, search, segments, batches and export. */
export const bench = defineBench({
  title: "Contacts",
  isLong: true,
  async rows(stage) {
    const server = await serverOf(stage);
    const copy = await prepareCopy(stage, server);
    return [
      {
        ours: {
          name: `Import of ${IMPORTED} contacts, ${ROWS_PER_REQUEST} a request`,
          measure: () => importRound(server),
        },
        other: { name: "a bare COPY of the same rows", measure: copy },
      },
    ];
  },
  async checks(stage) {
    const server = await serverOf(stage);
    const stored = Math.min(stage.storedRows, STORED_MAX);
    const filling = await fillCheck(server, Math.max(IMPORTED, stored - imported));
    return [
      filling,
      await numberingCheck(server),
      await searchCheck(server, imported),
      await segmentCheck(server, imported),
      await exportCheck(server, imported),
      await batchCheck(server),
    ];
  },
});
