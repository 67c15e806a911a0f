import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FAILURES } from "@longwave/contract";
import {
  BATCH_FROM,
  control,
  makeBatch,
  phones,
  readBatch,
  recipientsOf,
} from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";

const NO_WORKER = { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" };
const HOUR = 3_600;

async function kitWithNumber(t: TestContext): Promise<Kit> {
  const kit = await startKit(t, NO_WORKER);
  await giveNumber(kit);
  return kit;
}

async function resultsOf(kit: Kit, id: string) {
  const answer = await kit.request("GET", `/v1/batches/${id}/results`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { attempted, delivered, failed, pending, no_receipt, failures } = answer.body;
  assert.equal(attempted, delivered + failed + pending);
  assert.ok(no_receipt <= pending);
  const grouped = failures.reduce((sum: number, one: { count: number }) => sum + one.count, 0);
  // Failures also group recipients that failed without a message.
  assert.ok(grouped >= failed);
  return answer.body;
}

async function text(kit: Kit, from: string, body: string): Promise<void> {
  const answer = await kit.request("POST", "/v1/test/inbound", {
    body: { from, to: BATCH_FROM, body },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

test("results count the outcome of every message, and change at once", async (t) => {
  const kit = await kitWithNumber(t);
  kit.stopClock();
  const { id } = await makeBatch(kit, [
    "+15005550000",
    "+15005550001",
    "+15005550002",
    "+15005550004",
    "+15005550005",
    "+15005550006",
    "+15005550008",
    "+15005550010",
    "+15005550011",
    ...phones(3),
  ]);
  const empty = await resultsOf(kit, id);
  assert.deepEqual([empty.attempted, empty.replies, empty.spent_usd], [0, 0, 0]);
  await kit.advance(0);
  const early = await resultsOf(kit, id);
  assert.deepEqual([early.delivered, early.failed, early.pending], [0, 1, 10]);
  await kit.advance(60);
  assert.deepEqual(await resultsOf(kit, id), {
    object: "batch_results",
    batch_id: id,
    attempted: 12,
    delivered: 7,
    failed: 4,
    pending: 1,
    no_receipt: 0,
    replies: 1,
    stops: 1,
    spent_usd: 0,
    failures: [
      { code: "carrier_filtered", title: "The carrier filtered the message", count: 1 },
      { code: "carrier_rejected", title: "The carrier refused the message", count: 1 },
      { code: "invalid_number", title: "The number does not exist", count: 1 },
      { code: "unreachable", title: "The phone could not be reached", count: 1 },
    ],
    partial: false,
    reply_window_hours: 72,
  });
  assert.equal((await readBatch(kit, id)).counts.sent, 11);
  const peopleOf = async (filter: string) => (await recipientsOf(kit, id, filter)).length;
  const outcomes = ["delivered", "failed", "sent", "queued"].map((one) => `&outcome=${one}`);
  assert.deepEqual(await Promise.all(outcomes.map(peopleOf)), [7, 4, 1, 0]);
  const codes = ["unreachable", "invalid_number", "landline"].map((one) => `&failure_code=${one}`);
  assert.deepEqual(await Promise.all(codes.map(peopleOf)), [1, 1, 0]);
  assert.equal(await peopleOf("&outcome=delivered&failure_code=unreachable"), 0);
  await kit.advance(72 * HOUR - 120);
  assert.equal((await resultsOf(kit, id)).no_receipt, 0);
  await kit.advance(120);
  assert.equal((await resultsOf(kit, id)).no_receipt, 1);
});

test("replies and stops count from a recipient's own message until the window ends", async (t) => {
  const kit = await kitWithNumber(t);
  const [early, chatty, stops, comesBack, polite, late, stranger] = phones(7) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await text(kit, early, "Before the batch");
  const to = [early, chatty, stops, comesBack, polite, late];
  const { id } = await makeBatch(kit, to);
  await kit.advance(1);
  await text(kit, chatty, "Thanks!");
  await text(kit, chatty, "See you there");
  await text(kit, stranger, "Who is this?");
  await text(kit, stops, "STOP");
  await text(kit, stops, "STOP");
  await text(kit, comesBack, "Unsubscribe");
  await text(kit, comesBack, "START");
  await text(kit, polite, "please stop texting me");
  const now = await resultsOf(kit, id);
  // No keyword is a reply, and no opt-out in other words.
  assert.deepEqual([now.replies, now.stops], [2, 2]);

  await kit.advance(72 * HOUR);
  await text(kit, late, "Sorry, was away");
  const body = { phone_number: late, status: "opted_out", source: "call" };
  await kit.request("POST", "/v1/consent", { body });
  const closed = await resultsOf(kit, id);
  assert.deepEqual([closed.replies, closed.stops], [2, 2]);
});

test("the reply window of a recipient starts at their own message, not at the batch", async (t) => {
  const kit = await kitWithNumber(t);
  const [first] = phones(1) as [string];
  const { id } = await makeBatch(kit, ["+15005550002", first]);
  await kit.advance(1);
  await text(kit, "+15005550002", "I have nothing yet");
  await text(kit, first, "Got it");
  assert.equal((await resultsOf(kit, id)).replies, 1);
  await kit.advance(60);
  await text(kit, "+15005550002", "Now I have");
  assert.equal((await resultsOf(kit, id)).replies, 2);
});

test("the amount spent is the sum of the messages' prices", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  await goLive(kit, 1);
  const from = "+14155550100";
  await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
  const { id } = await makeBatch(kit, phones(150), { from }, { key: kit.liveKey });
  await kit.advance(1);
  // Without a carrier every message waits: priced, and not attempted.
  const waiting = await resultsOf(kit, id);
  assert.deepEqual([waiting.attempted, waiting.spent_usd], [0, 0.45]);
  await kit.advance(4 * HOUR);
  const failed = await resultsOf(kit, id);
  assert.deepEqual([failed.failed, failed.spent_usd], [150, 0]);
});

test("a retried recipient counts once, by its newest message", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, ["+15005550003"]);
  await kit.advance(4 * HOUR);
  await control(kit, id, "retry");
  await kit.advance(4 * HOUR);
  const results = await resultsOf(kit, id);
  const title = "No carrier could take the message";
  assert.deepEqual(results.failures, [{ code: "carrier_unavailable", title, count: 1 }]);
  assert.deepEqual([results.attempted, results.failed], [1, 1]);
  const [texts] = await kit.rows(
    "select count(*)::int as n from messages where batch_id is not null",
  );
  assert.equal(texts.n, 2);
});

test("a recipient that failed without a message is grouped, and not counted as a message", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  await goLive(kit, 0.027);
  const from = "+14155550100";
  await giveNumber(kit, { phone: from, mode: "live", senderState: "active" });
  const { id } = await makeBatch(kit, phones(110), { from }, { key: kit.liveKey });
  await kit.advance(1);
  const waiting = await resultsOf(kit, id);
  const poor = {
    code: "insufficient_credits",
    title: FAILURES.insufficient_credits.title,
    count: 7,
  };
  assert.deepEqual(waiting.failures, [poor]);
  assert.deepEqual([waiting.attempted, waiting.failed], [0, 0]);
  await kit.advance(4 * HOUR);
  const over = await resultsOf(kit, id);
  assert.deepEqual([over.attempted, over.failed], [103, 103]);
  assert.deepEqual(
    over.failures.map((one: { code: string; count: number }) => [one.code, one.count]),
    [
      ["carrier_unavailable", 103],
      ["insufficient_credits", 7],
    ],
  );
});

test("a recipient canceled while it waits for a retry is neither attempted nor failed", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, ["+15005550003", "+15005550000"]);
  await kit.advance(1);
  await control(kit, id, "cancel");
  await kit.advance(HOUR);
  const results = await resultsOf(kit, id);
  assert.deepEqual([results.attempted, results.failed, results.delivered], [1, 0, 1]);
  assert.deepEqual(results.failures, []);
});
