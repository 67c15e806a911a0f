/** Evidence of opt-ins, implied consent that ends, and accounts and topics that need an opt-in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { verifyProof } from "./verify-proof.ts";

const freshKit = freshAccounts();
const OURS = "+15005550100";
const PERSON = "+14155552671";
const OTHER = "+14155552672";
const MONTH_SECONDS = 31 * 86_400;
const EVIDENCE = {
  disclosure: "I agree to get offers from Acme by text. Reply STOP to end them.",
  page_url: "https://www.example.com/offers",
  ip: "203.0.113.7",
  user_agent: "Mozilla/5.0",
  form_version: "2026-11-02",
};

async function kitWithNumber(t: Parameters<typeof freshKit>[0]): Promise<Kit> {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: OURS });
  return kit;
}

const record = (kit: Kit, more: object = {}) =>
  kit.request("POST", "/v1/consent", {
    body: { phone_number: PERSON, status: "opted_in", source: "web_form", ...more },
  });
const send = (kit: Kit, more: object = {}) =>
  kit.request("POST", "/v1/messages", { body: { from: OURS, to: PERSON, body: "Hello", ...more } });
const requireOptIns = async (kit: Kit) => {
  const answer = await kit.request("PATCH", "/v1/account", { body: { opt_in_required: true } });
  assert.equal(answer.body.opt_in_required, true, JSON.stringify(answer.body));
};

test("evidence is stored with the opt-in, and its proof contains it", async (t) => {
  const kit = await kitWithNumber(t);
  const collected_at = new Date(kit.deps.clock.now() - 60_000).toISOString();
  const answer = await record(kit, { evidence: { ...EVIDENCE, collected_at } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.deepEqual([answer.body.basis, answer.body.expires_at], ["express", null]);
  const { body } = await kit.request("GET", `/v1/consent/${PERSON}`);
  assert.deepEqual(body.history[0].evidence, { ...EVIDENCE, collected_at });
  const proof = (await kit.request("GET", `/v1/consent/${PERSON}/proof`)).body;
  assert.equal(verifyProof(proof).ok, true);
  assert.equal(JSON.parse(proof.entries[0].text).evidence.ip, EVIDENCE.ip);
  const again = await record(kit, { evidence: EVIDENCE });
  assert.equal(again.status, 201, "the same choice with new evidence is another entry");
});

test("evidence that cannot be is refused with its field", async (t) => {
  const kit = await kitWithNumber(t);
  const future = new Date(kit.deps.clock.now() + 60_000).toISOString();
  const refuses = async (param: string, body: object) =>
    assertProblem(await record(kit, body), 400, "invalid_request", param);
  await refuses("evidence.ip", { evidence: { ip: "203.0.113" } });
  await refuses("evidence.collected_at", { evidence: { collected_at: future } });
  await refuses("evidence.collected_at", { evidence: { collected_at: "yesterday" } });
  await refuses("evidence.page_url", { evidence: { page_url: "not a url" } });
  await refuses("evidence.browser", { evidence: { browser: "x" } });
  await refuses("basis", { status: "opted_out", basis: "express" });
  await refuses("basis", { basis: "guessed" });
  const list = await kit.request("POST", "/v1/consent/import", {
    body: { numbers: [{ phone_number: PERSON, status: "opted_in", evidence: { ip: "x" } }] },
  });
  assertProblem(list, 400, "invalid_request", "numbers[0].evidence.ip");
});

test("an account that needs opt-ins texts only people who have opted in", async (t) => {
  const kit = await kitWithNumber(t);
  assert.equal((await send(kit)).status, 201);
  await requireOptIns(kit);
  assertProblem(await send(kit), 400, "opt_in_required", "to");
  const preview = await send(kit, { dry_run: true });
  assert.deepEqual(preview.body.blocked_by, ["opt_in_required"]);
  const scheduled_at = new Date(kit.deps.clock.now() + 3_600_000).toISOString();
  assertProblem(await send(kit, { scheduled_at }), 400, "opt_in_required", "to");
  await record(kit, { evidence: EVIDENCE });
  assert.equal((await send(kit)).status, 201);
  await record(kit, { status: "opted_out", source: "call" });
  assertProblem(await send(kit), 400, "recipient_opted_out", "to");
});

test("an answer to the person's own text needs no opt-in, for a day", async (t) => {
  const kit = await kitWithNumber(t);
  await requireOptIns(kit);
  const inbound = await kit.request("POST", "/v1/test/inbound", {
    body: { from: PERSON, to: OURS, body: "Are you open?" },
  });
  assert.equal(inbound.status, 201);
  assert.equal((await send(kit, { body: "Until six." })).status, 201);
  await kit.advance(86_401);
  assertProblem(await send(kit), 400, "opt_in_required", "to");
});

test("implied consent ends after its months, and express consent does not", async (t) => {
  const kit = await kitWithNumber(t);
  await requireOptIns(kit);
  const inquiry = await record(kit, { basis: "implied_inquiry" });
  assert.ok(inquiry.body.expires_at > new Date(kit.deps.clock.now()).toISOString());
  const purchased = new Date(kit.deps.clock.now() - 20 * MONTH_SECONDS * 1_000).toISOString();
  await record(kit, {
    phone_number: OTHER,
    basis: "implied_purchase",
    evidence: { collected_at: purchased },
  });
  assert.equal((await send(kit)).status, 201);
  assert.equal((await send(kit, { to: OTHER })).status, 201);
  await kit.advance(5 * MONTH_SECONDS);
  assertProblem(await send(kit, { to: OTHER }), 400, "opt_in_required", "to");
  const soon = new Date(kit.deps.clock.now() + 29 * 86_400_000).toISOString();
  const scheduled = await send(kit, { scheduled_at: soon });
  assert.equal(scheduled.status, 201, JSON.stringify(scheduled.body));
  await kit.advance(30 * 86_400);
  const path = `/v1/scheduled_messages/${scheduled.body.id}`;
  const { body: ended } = await kit.request("GET", path);
  assert.deepEqual([ended.status, ended.failure.code], ["failed", "opt_in_required"]);
  await record(kit, { source: "call", basis: "express" });
  const later = await record(kit, { source: "shop", basis: "implied_purchase" });
  assert.deepEqual([later.body.basis, later.body.expires_at], ["express", null]);
  assert.equal((await send(kit)).status, 201);
});

test("a topic that needs opt-ins leaves everybody else out of its batches", async (t) => {
  const kit = await kitWithNumber(t);
  const topic = await kit.request("POST", "/v1/topics", {
    body: { name: "Offers", opt_in_required: true },
  });
  assert.equal(topic.body.opt_in_required, true, JSON.stringify(topic.body));
  await record(kit, { basis: "implied_inquiry" });
  const batch = (more: object = {}) =>
    kit.request("POST", "/v1/batches", {
      body: {
        ...{ from: OURS, body: "Offer", topic_id: topic.body.id },
        recipients: [{ to: PERSON }, { to: OTHER }],
        ...more,
      },
    });
  const dry = await batch({ dry_run: true });
  assert.deepEqual([dry.body.valid, dry.body.rejected[0].reason], [1, "opt_in_required"]);
  const scheduled_at = new Date(kit.deps.clock.now() + 29 * 86_400_000).toISOString();
  const made = await batch({ scheduled_at });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await record(kit, { status: "opted_out", source: "call" });
  await record(kit, {
    source: "call",
    basis: "implied_inquiry",
    evidence: {
      collected_at: new Date(kit.deps.clock.now() - 5.5 * MONTH_SECONDS * 1_000).toISOString(),
    },
  });
  await kit.advance(29 * 86_400 + 60);
  const rows = await kit.request("GET", `/v1/batches/${made.body.id}/recipients`);
  const [row] = rows.body.data;
  assert.deepEqual([row.status, row.failure.code], ["skipped", "opt_in_required"]);
  const none = await kit.request("PATCH", `/v1/topics/${topic.body.id}`, {
    body: { opt_in_required: false },
  });
  assert.equal(none.body.opt_in_required, false);
  assert.equal((await batch({ dry_run: true })).body.valid, 2);
});
