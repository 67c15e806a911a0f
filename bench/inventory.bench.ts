import pg from "pg";
import { AREA_CODES, US_TERRITORIES } from "../packages/contract/src/index.ts";
import { rateCentreOf } from "../packages/server/src/network/numbers/geo/rate-centre-of.ts";
import { type Check, defineBench } from "./define.ts";
import type { Server } from "./server.ts";

const NUMBERS = 1_000_000;
const SEARCHES = 200;
const P99_MS_MAX = 20;

const AREAS = AREA_CODES.filter(
  ({ kind, country, region }) =>
    kind === "geographic" &&
    (country === "US" || country === "CA") &&
    (region === null || !US_TERRITORIES.has(region)),
).map(({ code, country }) => ({ code, country, ...rateCentreOf(`+1${code}5550100`) }));

type Query = (index: number) => string;
const area = (index: number) => AREAS[(index * 37) % AREAS.length] as (typeof AREAS)[number];

/** Typical searches, each time with other values. */
const SEARCHED: Readonly<Record<string, Query>> = {
  "by area code": (index) => `area_code=${area(index).code}`,
  "by state": (index) => `region=${area(index).region}&limit=100`,
  "by city": (index) => `locality=${encodeURIComponent(area(index).locality ?? "")}`,
  "by 3 digits": (index) => `contains=${200 + index}`,
  "by 4 digits": (index) => `contains=${1_000 + index * 41}`,
  "by 6 digits, mostly none": (index) => `contains=${100_000 + index * 4_327}`,
  "by digits in a state": (index) => `contains=${1_000 + index * 41}&region=${area(index).region}`,
};

/** Search in an inventory of a million live numbers. */
export const bench = defineBench({
  title: "Searching a million numbers",
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const key = await liveKey(server);
    await fill(server);
    const checks: Check[] = [];
    for (const [name, query] of Object.entries(SEARCHED)) {
      checks.push(await measure(server, key, name, query));
    }
    return checks;
  },
});

async function liveKey(server: Server): Promise<string> {
  const account = `/accounts/${server.accountId}`;
  await server.operator("PATCH", account, { live_access: "granted" });
  const { key } = await server.operator<{ key: string }>("POST", `${account}/keys`, {
    mode: "live",
  });
  return key;
}

async function measure(server: Server, key: string, name: string, query: Query): Promise<Check> {
  const tookMs: number[] = [];
  let found = 0;
  for (let index = 0; index < SEARCHES; index += 1) {
    const startedAt = performance.now();
    const page = await server.request<{ data: unknown[] }>(
      "GET",
      `/v1/numbers/available?${query(index)}`,
      { key },
    );
    tookMs.push(performance.now() - startedAt);
    found += page.data.length;
  }
  tookMs.sort((a, b) => a - b);
  const at = (part: number) => tookMs[Math.floor(SEARCHES * part)] ?? Number.NaN;
  return {
    name: `${NUMBERS.toLocaleString("en")} numbers ${name}`,
    measured: `p50 ${at(0.5).toFixed(1)}, p99 ${at(0.99).toFixed(1)} ms; ${Math.round(found / SEARCHES)} found`,
    limit: `p99 < ${P99_MS_MAX} ms`,
    holds: at(0.99) < P99_MS_MAX,
  };
}

/** Fills the inventory with SQL; the API would take minutes. */
async function fill(server: Server): Promise<void> {
  const client = new pg.Client(server.connection);
  await client.connect();
  // Indexes are dropped and recreated at the end, which takes a fraction of the time.
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    "select indexname, indexdef from pg_indexes where indexname like 'inventory_available%'",
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  await client.query(
    `insert into inventory_numbers (phone_number, id, type, country, region, locality, area_code, grams, created_at)
     select '+1' || d.digits, gen_random_uuid(), 'local', d.country, d.region, d.locality, d.code,
            array(select distinct substr(d.digits, s, 4)::smallint from generate_series(1, 7) s), now()
       from (select a.*, a.code || lpad((200 + (k * 7) % 790)::text, 3, '0') ||
                    lpad(((k * 7919 + a.ord * 131) % 10000)::text, 4, '0') as digits
               from rows from (jsonb_to_recordset($1::jsonb) as (code text, country text, locality text,
                      region text)) with ordinality as a (code, country, locality, region, ord),
                    generate_series(0, $2::int) k) d
     on conflict do nothing`,
    [JSON.stringify(AREAS), Math.ceil(NUMBERS / AREAS.length)],
  );
  for (const { indexdef } of indexes) await client.query(indexdef);
  await client.query("vacuum analyze inventory_numbers");
  await client.end();
}
