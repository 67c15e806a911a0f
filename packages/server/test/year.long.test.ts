import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { toApiId } from "../src/core/platform/ids.ts";
import { makeBatch, readBatch } from "../testing/batches.ts";
import { superuserOf } from "../testing/cluster.ts";
import { assertCountersMatch } from "../testing/counter-invariants.ts";
import { giveNumber } from "../testing/give-number.ts";
import { type HookReceiver, LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import { type Answer, type Kit, startKit } from "../testing/kit.ts";
import { assertMoneyAddsUp } from "../testing/ledger-invariants.ts";
import { addCredit, buy, goLive, stock } from "../testing/live.ts";
import { assertMessagesWhole } from "../testing/message-invariants.ts";
import { assertPartitions, assertRetained } from "../testing/partition-invariants.ts";
import { assertNothingOld } from "../testing/retention-fixtures.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { until } from "../testing/until.ts";

/** `LONGWAVE_YEAR_TEXTS=73000 npm run test:long -- year` simulates a small year of 200 messages a day. */
const TEXTS = Number(process.env["LONGWAVE_YEAR_TEXTS"] ?? 3_000_000);
const DAYS = 365;
const PER_DAY = Math.floor(TEXTS / DAYS);
const SINGLES_PER_DAY = Math.ceil(PER_DAY * 0.03);
const LIVE_PER_DAY = Math.ceil(PER_DAY * 0.01);
const RECIPIENTS_MAX = 10_000;
const VERIFICATIONS_PER_DAY = 10;
const OPT_OUTS_PER_DAY = 3;
const AT_ONCE = 50;
const DAY_MS = 86_400_000;
/** Maximum age of expired rows: the sweep runs once a day. */
const SWEPT_WITHIN_HOURS = 26;
const KEPT_MS_MAX = 120_000;
/** Minimum speed after a year, relative to the first days. Days before the caches are warm do not count. */
const SPEED_RATIO_MIN = 0.9;
const WARM_UP_DAYS = 3;
const DAYS_COMPARED = 10;
/** Size per message that docs/scale.md documents. */
const BYTES_PER_TEXT_MAX = 3_000;
/** Events of the customer's endpoint. */
const EVENTS = [
  "message.failed",
  "message.received",
  "broadcast.complete",
  "verification.approved",
];
/** Tables with limited retention that every day writes to. */
const WRITTEN_DAILY = [
  "events",
  "webhook_deliveries",
  "verification_decisions",
  "carrier_references",
];
const TEST_FROM = "+15005550100";
const LIVE_FROM = "+14155550100";
const RENTED = "+12065552000";

/** Valid exchanges, without those of services, premium lines and films. */
const EXCHANGES = Array.from({ length: 700 }, (_, n) => 200 + n).filter(
  (exchange) => exchange % 100 !== 11 && ![555, 700, 950, 958, 959, 976].includes(exchange),
);
const PHONES = EXCHANGES.length * 10_000;

function phone(n: number): string {
  const exchange = EXCHANGES[Math.floor(n / 10_000) % EXCHANGES.length];
  return `+1212${exchange}${String(n % 10_000).padStart(4, "0")}`;
}

test(`twelve months of a customer with ${TEXTS} messages: retention holds, and the last day is as fast as the first`, async (t) => {
  const { kit, hooks } = await openShop(t);
  const optedOut = new Set<string>();
  const sinceMs = Date.now();
  const startedAt = performance.now();
  let monthBegan = 0;
  for (let day = 0; day < DAYS; day += 1) {
    await liveThrough(kit, day, optedOut);
    if (new Date(kit.deps.clock.now()).getUTCDate() === 1) {
      await assertBilled(kit, day + 1 - monthBegan);
      await endMonth(kit, sinceMs);
      monthBegan = day + 1;
      const seconds = (performance.now() - startedAt) / 1_000;
      const perSecond = Math.round(((day + 1) * PER_DAY) / seconds);
      const size = megabytes(await sizeOf(kit));
      t.diagnostic(`day ${day + 1}, after ${Math.round(seconds)} s: ${perSecond} texts/s, ${size}`);
    }
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  t.diagnostic(`the year took ${minutes.toFixed(1)} minutes`);
  await assertRetention(kit, sinceMs);
  await assertRetained(kit, WRITTEN_DAILY);
  await withoutStatementTimeout(kit, (rows) => assertWhole(rows, optedOut));
  await assertWebhooksArrived(kit, hooks);
  const size = await sizeOf(kit);
  t.diagnostic(`${megabytes(size)}, ${Math.round(size / TEXTS)} bytes a text`);
  if (PER_DAY >= 1_000) assert.ok(size / TEXTS <= BYTES_PER_TEXT_MAX, `${size} bytes`);
  await assertAsFast(t, kit, optedOut);
});

async function endMonth(kit: Kit, sinceMs: number): Promise<void> {
  await addCredit(kit, 500);
  await assertRetention(kit, sinceMs);
}

async function assertRetention(kit: Kit, sinceMs: number): Promise<void> {
  await untilSwept(kit);
  await assertPartitions(kit, sinceMs);
  await assertNothingOld(kit, SWEPT_WITHIN_HOURS);
}

/** Asserts that the usage of the month that just ended equals its counts and its debits. */
async function assertBilled(kit: Kit, days: number): Promise<void> {
  const end = new Date(kit.deps.clock.now());
  const beforeMs = Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1);
  const fromMs = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
  const range = [fromMs, beforeMs].map((ms) => new Date(ms));
  const path = `/v1/usage?created_after=${fromMs}&created_before=${beforeMs}`;
  const used = async (key: string) => (await kit.request("GET", path, { key })).body.totals;
  const live = await used(kit.liveKey);
  const debits = await kit.rows(
    `select coalesce(-sum(amount_micros), 0)::int as micros from ledger_entries
      where kind = 'message' and created_at >= $1::timestamptz and created_at < $2::timestamptz`,
    range,
  );
  assert.equal(live.outbound.count, LIVE_PER_DAY * days);
  assert.equal(Math.round(live.outbound.cost_usd * 1e6), debits[0].micros);
  const test = await used(kit.testKey);
  assert.equal(test.outbound.count, (PER_DAY - LIVE_PER_DAY + OPT_OUTS_PER_DAY) * days);
  assert.equal(test.inbound.count, OPT_OUTS_PER_DAY * days);
  assert.equal(test.verifications.count, VERIFICATIONS_PER_DAY * days);
}

/** Asserts that every subscribed event arrived: by number for the whole year, and by id for stored events. */
async function assertWebhooksArrived(kit: Kit, hooks: HookReceiver): Promise<void> {
  const received = new Map(hooks.at("/all").map(({ event }) => [event.id, event.type]));
  const ofType = (type: string) => [...received.values()].filter((one) => one === type).length;
  const [{ batches }] = await kit.rows("select count(*)::int as batches from batches");
  assert.equal(ofType("broadcast.complete"), batches);
  assert.equal(ofType("verification.approved"), DAYS * VERIFICATIONS_PER_DAY);
  assert.equal(ofType("message.received"), DAYS * OPT_OUTS_PER_DAY);
  const stored = await kit.rows("select id from events where type = any($1::text[])", [EVENTS]);
  const missing = stored.filter(({ id }) => !received.has(toApiId("event", id)));
  assert.deepEqual(missing, []);
}

/**
 * Compares days after a year with first days of a new customer, alternating, so that load on the machine
 * affects both.
 */
async function assertAsFast(t: TestContext, old: Kit, optedOut: Set<string>): Promise<void> {
  const { kit: fresh } = await openShop(t);
  const timed = async (kit: Kit, day: number) => {
    const startedAt = performance.now();
    await liveThrough(kit, day, optedOut);
    return (performance.now() - startedAt) / 1_000;
  };
  for (let day = 0; day < WARM_UP_DAYS; day += 1) await timed(fresh, day);
  const first: number[] = [];
  const last: number[] = [];
  for (let pair = 0; pair < DAYS_COMPARED; pair += 1) {
    first.push(await timed(fresh, WARM_UP_DAYS + pair));
    last.push(await timed(old, DAYS + pair));
  }
  const speed = median(first.map((seconds, pair) => seconds / (last[pair] ?? Number.NaN)));
  t.diagnostic(
    `a day takes ${median(first).toFixed(2)} s at first, ${median(last).toFixed(2)} s after a year: ${speed.toFixed(2)} of the speed`,
  );
  assert.ok(speed >= SPEED_RATIO_MIN, `${first} s at first, ${last} s at last`);
}

async function openShop(t: TestContext) {
  const hooks = await startHookReceiver(t);
  const file = join(await temporaryFolder(t), "carriers.json");
  await writeFile(file, JSON.stringify({ carriers: [{ name: "sim", type: "simulator" }] }));
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_CARRIERS: file });
  await giveNumber(kit, { phone: TEST_FROM });
  await giveNumber(kit, {
    phone: LIVE_FROM,
    mode: "live",
    senderState: "active",
    type: "toll_free",
  });
  await goLive(kit, 10_000);
  const account = `/accounts/${toApiId("account", kit.account.id)}`;
  await kit.operator("PATCH", account, { daily_message_quota: 1_000_000 });
  await stock(kit, RENTED);
  await buy(kit, RENTED, { key: kit.liveKey });
  const made = await kit.request("POST", "/v1/webhooks", {
    body: { url: hooks.url("/all"), events: EVENTS },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  // Starts at midnight, so that each simulated day has one date.
  await untilMidnight(kit);
  return { kit, hooks };
}

/** Simulates a day: batches, sendSingle sends, live sends, verifications and opt-outs; then advances to midnight. */
async function liveThrough(kit: Kit, day: number, optedOut: Set<string>): Promise<void> {
  const first = day * PER_DAY;
  const batched = PER_DAY - SINGLES_PER_DAY - LIVE_PER_DAY;
  const to = Array.from({ length: batched }, (_, n) => phone(first + n));
  const batches: string[] = [];
  for (let from = 0; from < to.length; from += RECIPIENTS_MAX) {
    batches.push((await makeBatch(kit, to.slice(from, from + RECIPIENTS_MAX))).id);
  }
  const sendSingle = (n: number, from: string, key: string) =>
    ask(kit, "/v1/messages", { to: phone(first + batched + n), from, body: `Day ${day}` }, key);
  await many(SINGLES_PER_DAY, (n) => sendSingle(n, TEST_FROM, kit.testKey));
  await many(LIVE_PER_DAY, (n) => sendSingle(SINGLES_PER_DAY + n, LIVE_FROM, kit.liveKey));
  await many(VERIFICATIONS_PER_DAY, async (n) => {
    // Phones far apart: fraud rules block neighbouring phones that ask for codes.
    const who = phone(((day * VERIFICATIONS_PER_DAY + n) * 40_009) % PHONES);
    const started = await ask(kit, "/v1/verify", { phone: who, app_name: "Acme" }, kit.testKey);
    await ask(kit, "/v1/verify/check", { phone: who, code: started.test_code }, kit.testKey);
  });
  for (let n = 0; n < OPT_OUTS_PER_DAY; n += 1) {
    const who = phone(first + n);
    await ask(kit, "/v1/test/inbound", { from: who, to: TEST_FROM, body: "STOP" }, kit.testKey);
    optedOut.add(who);
  }
  await untilMidnight(kit);
  for (const id of batches) assert.equal((await readBatch(kit, id)).status, "complete");
}

async function untilMidnight(kit: Kit): Promise<void> {
  const now = kit.deps.clock.now();
  await kit.advance(Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000));
}

async function ask(kit: Kit, path: string, body: object, key: string): Promise<Answer["body"]> {
  const answer = await kit.request("POST", path, { body, key });
  assert.ok(answer.status < 300, `${path} ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Runs `one` for each index, AT_ONCE at a time. */
async function many(count: number, one: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    await Promise.all(Array.from({ length }, (_, n) => one(from + n)));
  }
}

/** Waits for periodic tasks, which an advance of the clock does not wait for. */
async function untilSwept(kit: Kit): Promise<void> {
  await until(async () => {
    const now = new Date(kit.deps.clock.now());
    const late = await kit.rows("select 1 from periodic_tasks where due_at <= $1", [now]);
    return late.length === 0;
  }, KEPT_MS_MAX);
}

/** Runs queries without the kit's statement timeout: scanning a year of messages takes longer. */
async function withoutStatementTimeout(
  kit: Kit,
  look: (rows: Kit["rows"]) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(await superuserOf(kit.connection));
  await client.connect();
  try {
    await look(async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
  }
}

/** Asserts invariants over all rows of the year. */
async function assertWhole(rows: Kit["rows"], optedOut: ReadonlySet<string>): Promise<void> {
  await assertMoneyAddsUp(rows);
  await assertMessagesWhole(rows);
  await assertCountersMatch(rows);
  const waiting = await rows(
    "select id, mode, status from messages where direction = 'outbound' and status not in ('delivered', 'failed') limit 3",
  );
  assert.deepEqual(waiting, [], "every message has its receipt");
  const [texts] = await rows(
    "select count(*)::int as n from messages where direction = 'outbound' and not auto_reply and verification_id is null",
  );
  assert.equal(texts.n, PER_DAY * DAYS, "every message of the year exists");
  const [stopped] = await rows(
    "select count(*)::int as n from consent_states where status = 'opted_out'",
  );
  assert.equal(stopped.n, optedOut.size);
  // Events within retention are numbered without a gap.
  const [events] = await rows(
    `select count(*)::int as n, (max(e.seq) - min(e.seq) + 1)::int as numbered, max(e.seq) = max(c.event_seq) as is_last
       from events e join account_counters c on c.shard = e.shard and c.account_id = e.account_id`,
  );
  assert.deepEqual({ ...events, numbered: events.n }, { ...events, is_last: true });
  const [rents] = await rows(
    "select count(*)::int as n from ledger_entries where kind like 'number%'",
  );
  assert.ok(rents.n >= 12, `the number was paid for ${rents.n} times`);
}

async function sizeOf(kit: Kit): Promise<number> {
  const [row] = await kit.rows("select pg_database_size(current_database()) as bytes");
  return row.bytes;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
