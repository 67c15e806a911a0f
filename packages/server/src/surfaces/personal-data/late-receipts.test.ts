/** Receipts that arrive after their message's number was erased. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REDACTED_NUMBER } from "@longwave/contract";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import {
  AGGREGATOR_SECRET,
  aggregatorEntry,
  startAggregator,
} from "../../../testing/mock-aggregator.ts";
import { carriersFile } from "../../../testing/smpp-stage.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const SANDBOX = "+15005550100";
const PERSON = "+14155552671";
const DIGITS = PERSON.slice(1);
/** Counters of fraud protection and daily caps: swept within 48 hours. */
const EXPIRING: readonly string[] = [
  "daily_sends",
  "reply_pairs",
  "verification_counters",
  "verification_targets",
];

async function erase(kit: Kit): Promise<string> {
  const body = { phone_number: PERSON };
  const made = await kit.request("POST", "/v1/erasures", { key: kit.liveKey, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

const erasureOf = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/erasures/${id}`, { key: kit.liveKey })).body;

/** Tables with rows that contain the digits, in text or bytes, whatever their separators. */
async function mentions(kit: Kit): Promise<string[]> {
  const tables = await kit.rows(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = current_schema and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  assert.ok(tables.length > 50, "every table is read");
  const hex = Buffer.from(DIGITS.slice(1)).toString("hex");
  const found: string[] = [];
  for (const { name } of tables) {
    const [{ rows }] = await kit.rows(
      `select count(*)::int as rows from ${name} t, lateral (select to_jsonb(t)::text as all) r
        where position('${DIGITS.slice(1)}' in regexp_replace(r.all, '[ ().-]', '', 'g')) > 0
           or position('${hex}' in r.all) > 0`,
    );
    if (rows > 0 && !EXPIRING.includes(name)) found.push(name);
  }
  return found;
}

test("carriers' late receipts move the message and keep nothing of the person", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const names = ["a", "b"];
  carrier.answers = names.map((name) => () => ({
    ...{ kind: "accepted" as const, references: [name] },
  }));
  for (const body of names) {
    const sent = { key: kit.liveKey, body: { to: PERSON, from: FROM, body } };
    assert.equal((await kit.request("POST", "/v1/messages", sent)).status, 201);
  }
  const id = await erase(kit);
  await kit.advance(120);
  assert.equal((await erasureOf(kit, id)).status, "complete");
  assert.deepEqual(await mentions(kit), []);
  const bring = (reference: string, state: "delivered" | "failed" | "intermediate") =>
    carrier.sink().receipt({
      ...{ carrier: "test-link", reference, state, carrierCode: null, numbers: [FROM, PERSON] },
      ...(state === "failed" ? { hasOptedOut: true as const } : {}),
      raw: `to:${DIGITS} stat:${state}`,
    });
  // The lane applies intermediate receipts, the arrival the others.
  await bring("a", "intermediate");
  await until(async () => {
    const [{ due }] = await kit.rows(
      "select count(*)::int as due from carrier_inbox where due_at is not null",
    );
    return due === 0;
  });
  await bring("a", "delivered");
  await bring("b", "failed");
  await kit.advance(60);
  const moved = await kit.rows("select status, to_number from messages order by id");
  assert.deepEqual(moved, [
    { status: "delivered", to_number: REDACTED_NUMBER },
    { status: "failed", to_number: REDACTED_NUMBER },
  ]);
  const [{ receipts }] = await kit.rows("select count(*)::int as receipts from carrier_inbox");
  assert.equal(receipts, 3);
  assert.deepEqual(await mentions(kit), []);
  const [{ redacted }] = await kit.rows(
    "select count(*)::int as redacted from consent_ledger where phone_number = $1",
    [REDACTED_NUMBER],
  );
  assert.equal(redacted, 0, "an opt-out by the carrier names the person");
});

test("an erasure comes back for the events of simulated receipts", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: SANDBOX });
  const body = { to: PERSON, from: SANDBOX, body: "Hello" };
  assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
  const late = await kit.rows("update due_receipts set due_at = $1 returning 1 as late", [
    new Date(kit.deps.clock.now() + 90_000),
  ]);
  assert.equal(late.length, 1);
  const made = await kit.request("POST", "/v1/erasures", { body: { phone_number: PERSON } });
  await kit.advance(70);
  const read = async () => (await kit.request("GET", `/v1/erasures/${made.body.id}`)).body;
  assert.deepEqual([(await read()).status, (await read()).waiting], ["running", 1]);
  await kit.advance(200);
  assert.equal((await read()).status, "complete");
  const [message] = await kit.rows("select status from messages");
  assert.equal(message.status, "delivered");
  assert.deepEqual(await mentions(kit), []);
});

const SIGNATURE = {
  header: "X-Signature",
  prefix: "sha256=",
  signed: "{{timestamp}}.{{body}}",
  timestamp_header: "X-Timestamp",
};

test("late callbacks that match no message, or cannot be read, keep nothing of the person", async (t) => {
  const aggregator = await startAggregator(t);
  const paths = { receipts: { id: "data.id", status: "data.state" } };
  const callbacks = { secret: AGGREGATOR_SECRET, signature: SIGNATURE, ...paths };
  const file = await carriersFile(t, [aggregatorEntry(aggregator, { numbers: [FROM], callbacks })]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file, LONGWAVE_REQUEST_LOG_BODIES: "all" });
  aggregator.server = kit.url;
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  const body = { to: PERSON, from: FROM, body: "Hello" };
  const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const id = await erase(kit);
  await kit.advance(120);
  assert.equal((await erasureOf(kit, id)).status, "complete");
  assert.deepEqual(await mentions(kit), []);

  const bring = (data: object) => aggregator.call("/callbacks/aggregator/receipts", { data });
  const numbers = { from: FROM, to: PERSON };
  const reference = aggregator.asked.at(-1)?.id ?? "";
  assert.equal(await bring({ id: reference, state: "delivered", ...numbers }), 200);
  assert.equal(await bring({ id: reference, state: "delivered", again: true, ...numbers }), 200);
  assert.equal(await bring({ id: "unknown", state: "delivered", ...numbers }), 200);
  assert.equal(await bring({ tracking: "unreadable", ...numbers }), 400);
  assert.equal(await bring({ tracking: "unreadable", note: "(415) 555-2671 is off" }), 400);
  assert.equal(await bring({ tracking: "unreadable", query: `to=%22%2B${DIGITS}%22` }), 400);
  await kit.advance(400);
  const [message] = await kit.rows("select status, to_number from messages");
  assert.deepEqual(message, { status: "delivered", to_number: REDACTED_NUMBER });
  const [{ receipts }] = await kit.rows("select count(*)::int as receipts from carrier_inbox");
  assert.equal(receipts, 3, "receipts stay, without the person");
  assert.deepEqual(await mentions(kit), []);

  // Receipts about others are kept, so that the operator finds the fault.
  const other = { from: FROM, to: "+14155552672" };
  assert.equal(await bring({ id: "unknown too", state: "delivered", ...other }), 200);
  assert.equal(await bring({ tracking: "unreadable", ...other }), 400);
  await kit.advance(400);
  const [{ kept }] = await kit.rows("select count(*)::int as kept from kept_callbacks");
  assert.equal(kept, 2);
});
