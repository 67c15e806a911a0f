import assert from "node:assert/strict";
import test from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";

const openAccount = freshAccounts();

const FROM = "+15005550100";
const GOOD = { to: "+15005550000", from: FROM, body: "Hello" };
const DAY_MS = 86_400_000;

/** A change to a valid request, and the refusal that it causes. */
type Row = [
  what: string,
  change: Record<string, unknown>,
  status: number,
  code: string,
  param: string | null,
];

const wrongRows = (now: number): Row[] => [
  ["no to", { to: undefined }, 400, "invalid_request", "to"],
  ["a list as to", { to: ["+15005550000"] }, 400, "invalid_request", "to"],
  ["a British number", { to: "+447911123456" }, 400, "invalid_request", "to"],
  ["Jamaica", { to: "+18765551234" }, 400, "invalid_request", "to"],
  ["Puerto Rico", { to: "+17875551234" }, 400, "invalid_request", "to"],
  ["premium", { to: "+19005551234" }, 400, "invalid_request", "to"],
  ["911", { to: "911" }, 400, "invalid_request", "to"],
  ["words", { to: "my mother" }, 400, "invalid_request", "to"],
  ["an empty body", { body: "" }, 400, "invalid_request", "body"],
  ["a blank body", { body: " \n\t" }, 400, "invalid_request", "body"],
  ["a body of which nothing is seen", { body: "\u200b" }, 400, "invalid_request", "body"],
  ["1601 characters", { body: "x".repeat(1601) }, 400, "invalid_request", "body"],
  [
    "a field that there is not",
    { schedule_at: "2030-01-01T00:00:00Z" },
    400,
    "invalid_request",
    "schedule_at",
  ],
  ["media", { media: ["https://example.com/a.png"] }, 400, "mms_not_enabled", "media"],
  ["media of another shape", { media: "picture.png" }, 400, "mms_not_enabled", "media"],
  ["media of no shape", { media: 7 }, 400, "mms_not_enabled", "media"],
  ["no media at all, but the field", { media: [] }, 400, "mms_not_enabled", "media"],
  ["a number of nobody's", { from: "+14155550199" }, 403, "sender_not_owned", "from"],
  ["no number", { from: "Acme" }, 400, "invalid_request", "from"],
  ["an unknown pool", { from: "pool_01jd0000000000000000000000" }, 400, "invalid_request", "from"],
  ["a live number", { from: "+14155550102" }, 403, "mode_mismatch", "from"],
  [
    "an unknown customer",
    { customer_id: "cus_01jd0000000000000000000000" },
    400,
    "unknown_customer",
    "customer_id",
  ],
  ["the past", { scheduled_at: now - 1_000 }, 400, "invalid_request", "scheduled_at"],
  ["too far ahead", { scheduled_at: now + 31 * DAY_MS }, 400, "invalid_request", "scheduled_at"],
  ["30 February", { scheduled_at: "2027-02-30T00:00:00Z" }, 400, "invalid_request", "scheduled_at"],
  ["no zone", { scheduled_at: "2026-12-01T00:00:00" }, 400, "invalid_request", "scheduled_at"],
  ["text for dry_run", { dry_run: "true" }, 400, "invalid_request", "dry_run"],
];

test("an invalid request is refused with its field, and stores nothing", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  await giveNumber(kit, { phone: "+14155550102", mode: "live" });
  const rows = wrongRows(kit.deps.clock.now());
  for (const [what, change, status, code, param] of rows) {
    const answer = await kit.request("POST", "/v1/messages", { body: { ...GOOD, ...change } });
    assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
    assert.equal(answer.body.error.code, code, what);
    assert.equal(answer.body.error.param, param, what);
    assert.equal(answer.body.error.request_id, answer.headers.get("x-request-id"));
  }
  const [stored] = await kit.rows(
    "select (select count(*)::int from messages) + (select count(*)::int from scheduled_messages) + (select count(*)::int from events) as n",
  );
  assert.equal(stored.n, 0);
});

test("field errors come before key conflicts, in a dry run, too", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  await giveNumber(kit, { phone: "+14155550102", mode: "live" });
  const headers = { "idempotency-key": "used" };
  const send = (change: object) =>
    kit.request("POST", "/v1/messages", { body: { ...GOOD, ...change }, headers });
  assert.equal((await send({})).status, 201);
  for (const [what, change, status, code, param] of wrongRows(kit.deps.clock.now())) {
    // Ownership of a pool or a customer needs a lookup, which comes after the key.
    const isOfFields = status === 400 && !what.startsWith("an unknown ");
    const answer = await send(change);
    const expected = isOfFields ? [status, code, param] : [409, "idempotency_conflict", null];
    const { error } = answer.body;
    assert.deepEqual([answer.status, error.code, error.param], expected, what);
    if (!isOfFields || "dry_run" in change) continue;
    const dry = await kit.request("POST", "/v1/messages", {
      body: { ...GOOD, ...change, dry_run: true },
    });
    assert.deepEqual([dry.status, dry.body.error?.code, dry.body.error?.param], expected, what);
  }
  const [stored] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(stored.n, 1);
});

test("1600 characters are counted as code points", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  const answer = await kit.request("POST", "/v1/messages", {
    body: { ...GOOD, body: "😀".repeat(1600) },
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.encoding, "ucs2");
});

test("numbers are normalised, and the customer follows the number", async (t) => {
  const kit = await openAccount(t);
  const customer = await kit.api.customers.create({ name: "Acme" });
  const other = await kit.api.customers.create({ name: "Other" });
  const [row] = await kit.rows("select id from customers where name = 'Acme'");
  await giveNumber(kit, { phone: "+14155550103", customerId: row.id });
  const answer = await kit.request("POST", "/v1/messages", {
    body: { to: "(415) 555-2671", from: "415-555-0103", body: "Hi" },
  });
  assert.equal(answer.body.to, "+14155552671");
  assert.equal(answer.body.from, "+14155550103");
  assert.equal(answer.body.customer_id, customer.id);
  const mismatch = await kit.request("POST", "/v1/messages", {
    body: { ...GOOD, from: "+14155550103", customer_id: other.id },
  });
  assert.equal(mismatch.body.error.code, "customer_mismatch");
  const [event] = await kit.rows("select data from events where type = 'message.sent'");
  assert.equal(event.data.customer_id, customer.id);
});

test("a dry run answers in full and stores nothing", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  await kit.request("POST", "/v1/consent", {
    body: { phone_number: GOOD.to, status: "opted_out", source: "test" },
  });
  const answer = await kit.request("POST", "/v1/messages", {
    body: { ...GOOD, body: "Olá – ok", dry_run: true },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.object, "message_preview");
  assert.equal(answer.body.encoding, "ucs2");
  assert.deepEqual(answer.body.ucs2_characters, ["á", "–"]);
  assert.deepEqual(answer.body.blocked_by, ["recipient_opted_out"]);
  const refused = await kit.request("POST", "/v1/messages", { body: GOOD });
  assert.equal(refused.body.error.code, "recipient_opted_out");
  const [stored] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(stored.n, 0);
});
