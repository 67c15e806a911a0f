import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertAddsUp,
  BATCH_FROM,
  control,
  makeBatch,
  phones,
  postBatch,
  readBatch,
  recipientsOf,
} from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";

/** Runs no worker: due work runs when a test moves the clock. */
const NO_WORKER = { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" };
const HOUR_MS = 3_600_000;
const REFUSED_FIRST = "+15005550002";
const REFUSED_ALWAYS = "+15005550003";

type Status = "scheduled" | "sending" | "paused" | "complete" | "canceled";
type Action = "pause" | "resume" | "cancel" | "retry";

async function kitWithNumber(t: Parameters<typeof startKit>[0], env = {}): Promise<Kit> {
  const kit = await startKit(t, { ...NO_WORKER, ...env });
  await giveNumber(kit);
  return kit;
}

async function act(kit: Kit, id: string, action: Action, affected?: number) {
  const answer = await control(kit, id, action);
  assert.equal(answer.status, 200, `${action}: ${JSON.stringify(answer.body)}`);
  assertAddsUp(answer.body);
  assert.equal(answer.body.sweep_complete, true);
  if (affected !== undefined) assert.equal(answer.body.affected, affected, action);
  return answer.body;
}

/** Creates a batch of three recipients and brings it to a status through the API. */
async function batchIn(kit: Kit, status: Status): Promise<string> {
  const later = { scheduled_at: kit.deps.clock.now() + HOUR_MS };
  const { id } = await makeBatch(kit, phones(3), status === "scheduled" ? later : {});
  if (status === "paused") await act(kit, id, "pause", 3);
  if (status === "canceled") await act(kit, id, "cancel", 3);
  if (status === "complete") await kit.advance(1);
  assert.equal((await readBatch(kit, id)).status, status);
  return id;
}

/** Status after each action in each status; a missing entry means 409. */
const TABLE: Readonly<Record<Status, Readonly<Partial<Record<Action, Status>>>>> = {
  scheduled: { pause: "paused", cancel: "canceled" },
  sending: { pause: "paused", cancel: "canceled" },
  paused: { resume: "sending", cancel: "canceled" },
  complete: { retry: "complete" },
  canceled: {},
};

test("actions follow the table of statuses; others answer 409 and change nothing", async (t) => {
  const kit = await kitWithNumber(t);
  for (const from of Object.keys(TABLE) as Status[]) {
    for (const action of ["pause", "resume", "cancel", "retry"] as const) {
      const id = await batchIn(kit, from);
      const before = await readBatch(kit, id);
      const to = TABLE[from][action];
      if (to === undefined) {
        assertRefused(await control(kit, id, action), 409, "invalid_state");
        assert.deepEqual(await readBatch(kit, id), before, `${action} in ${from}`);
      } else {
        const after = await act(kit, id, action, from === "complete" ? 0 : 3);
        assert.equal(after.status, to, `${action} in ${from}`);
        const { affected: _a, sweep_complete: _s, ...batch } = after;
        assert.deepEqual(batch, await readBatch(kit, id));
      }
    }
  }
});

test("pause stops recipients that are not with a carrier, resume sends them, counts add up", async (t) => {
  const kit = await kitWithNumber(t, { LONGWAVE_BATCH_PACE: "8" });
  kit.stopClock();
  const { id } = await makeBatch(kit, [REFUSED_FIRST, ...phones(5)]);
  await kit.advance(0);
  const begun = await readBatch(kit, id);
  // Two messages in the first quarter of a second; the carrier refused one temporarily.
  assert.deepEqual(begun.counts, countsOf({ queued: 5, sent: 1 }));
  const paused = await act(kit, id, "pause", 5);
  assert.deepEqual(paused.counts, countsOf({ paused: 5, sent: 1 }));
  const pausedRows = await recipientsOf(kit, id, "&status=paused");
  assert.deepEqual(
    pausedRows.map((row) => row.index),
    [0, 2, 3, 4, 5],
  );
  assert.deepEqual(await recipientsOf(kit, id, "&status=queued"), []);
  await kit.advance(86_400);
  assert.deepEqual((await readBatch(kit, id)).counts, paused.counts);

  const resumed = await act(kit, id, "resume", 5);
  assert.equal(resumed.status, "sending");
  assert.deepEqual(resumed.counts, countsOf({ queued: 5, sent: 1 }));
  await kit.advance(2);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.deepEqual(done.counts, countsOf({ sent: 6 }));
  const [sums] = await kit.rows(
    "select count(*)::int as n, count(distinct to_number)::int as phones from messages",
  );
  assert.deepEqual(sums, { n: 6, phones: 6 });
});

test("cancel stops all submits and cancels messages that wait for a retry", async (t) => {
  const kit = await kitWithNumber(t, { LONGWAVE_BATCH_PACE: "8" });
  kit.stopClock();
  const { id } = await makeBatch(kit, [REFUSED_FIRST, "+15005550000", ...phones(4)]);
  await kit.advance(0);
  const canceled = await act(kit, id, "cancel", 5);
  assert.deepEqual(canceled.counts, countsOf({ sent: 1, canceled: 5 }));
  assertRefused(await control(kit, id, "cancel"), 409, "invalid_state");
  await kit.advance(86_400);
  const batch = await readBatch(kit, id);
  assert.equal(batch.status, "canceled");
  assert.deepEqual(batch.counts, canceled.counts);
  const messages = await kit.rows(
    "select to_number, status, failure_code, next_attempt_at from messages order by batch_index",
  );
  assert.deepEqual(messages, [
    {
      to_number: REFUSED_FIRST,
      status: "failed",
      failure_code: "canceled",
      next_attempt_at: null,
    },
    {
      to_number: "+15005550000",
      status: "delivered",
      failure_code: null,
      next_attempt_at: null,
    },
  ]);
  const statuses = (await recipientsOf(kit, id)).map((row) => row.status);
  assert.deepEqual(statuses, ["canceled", "sent", "canceled", "canceled", "canceled", "canceled"]);
  assert.deepEqual(await completions(kit), []);
});

test("a recipient in carrier retry stays queued and its batch sending, until the carrier decides", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, [
    REFUSED_FIRST,
    REFUSED_ALWAYS,
    "+15005550004",
    "+15005550001",
  ]);
  await kit.advance(1);
  const waiting = await readBatch(kit, id);
  assert.equal(waiting.status, "sending");
  assert.deepEqual(waiting.counts, countsOf({ queued: 2, failed: 1, sent: 1 }));
  await kit.advance(60);
  assert.deepEqual((await readBatch(kit, id)).counts, countsOf({ queued: 1, failed: 1, sent: 2 }));
  await kit.advance(4 * 3_600);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.deepEqual(done.counts, countsOf({ failed: 2, sent: 2 }));
  const rows = await recipientsOf(kit, id);
  assert.deepEqual(
    rows.map((row) => [row.status, row.failure?.code ?? null, row.attempts]),
    [
      ["sent", null, 1],
      ["failed", "carrier_unavailable", 1],
      ["failed", "carrier_rejected", 1],
      // A later receipt failed it.
      ["sent", "invalid_number", 1],
    ],
  );
  assert.deepEqual(await completions(kit), [{ batch_id: id, counts: done.counts }]);
});

test("retry takes only retryable failures, three attempts in all, one retry at a time", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, [REFUSED_ALWAYS, "+15005550004", "+15005550000"]);
  await kit.advance(4 * 3_600);
  for (const attempts of [2, 3]) {
    const again = await act(kit, id, "retry", 1);
    assert.equal(again.status, "sending");
    assert.equal(again.completed_at, null);
    assert.deepEqual(again.counts, countsOf({ queued: 1, failed: 1, sent: 1 }));
    assertRefused(await control(kit, id, "retry"), 409, "retry_in_progress");
    await kit.advance(1);
    assertRefused(await control(kit, id, "retry"), 409, "retry_in_progress");
    await kit.advance(4 * 3_600);
    assert.equal((await readBatch(kit, id)).status, "complete");
    const [row] = await recipientsOf(kit, id);
    assert.equal(row.attempts, attempts);
  }
  const before = await readBatch(kit, id);
  const nothing = await act(kit, id, "retry", 0);
  assert.equal(nothing.status, "complete");
  await kit.advance(1);
  assert.deepEqual(await readBatch(kit, id), before);
  assert.equal((await completions(kit)).length, 3);
  const sums = await kit.rows(
    "select to_number, count(*)::int as n from messages group by 1 order by 1",
  );
  assert.deepEqual(sums, [
    { to_number: "+15005550000", n: 1 },
    { to_number: REFUSED_ALWAYS, n: 3 },
    { to_number: "+15005550004", n: 1 },
  ]);
});

test("a retry can be paused, resumed and canceled like any sending", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, [REFUSED_ALWAYS, "+15005550000"]);
  await kit.advance(4 * 3_600);
  await act(kit, id, "retry", 1);
  await act(kit, id, "pause", 1);
  assertRefused(await control(kit, id, "retry"), 409, "retry_in_progress");
  await act(kit, id, "resume", 1);
  const canceled = await act(kit, id, "cancel", 1);
  assert.deepEqual(canceled.counts, countsOf({ sent: 1, canceled: 1 }));
  await kit.advance(86_400);
  const [sums] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(sums.n, 2);
});

test("a scheduled batch sends at its time, and not before", async (t) => {
  const kit = await kitWithNumber(t);
  kit.stopClock();
  const scheduledAt = kit.deps.clock.now() + 29 * 86_400_000;
  const { id, status, started_at } = await makeBatch(kit, phones(3), { scheduled_at: scheduledAt });
  assert.deepEqual([status, started_at], ["scheduled", null]);
  await kit.advance(29 * 86_400 - 60);
  assert.deepEqual((await readBatch(kit, id)).counts, countsOf({ queued: 3 }));
  await kit.advance(61);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.ok(Date.parse(done.started_at) >= scheduledAt);
  const [first] = await kit.rows("select min(created_at) as at from messages");
  assert.equal(first.at, scheduledAt);
});

test("resume of a scheduled batch waits for its time, or sends when that has passed", async (t) => {
  const kit = await kitWithNumber(t);
  const hourAhead = () => ({ scheduled_at: kit.deps.clock.now() + HOUR_MS });
  const early = await makeBatch(kit, phones(2), hourAhead());
  await act(kit, early.id, "pause", 2);
  assert.equal((await act(kit, early.id, "resume", 2)).status, "scheduled");
  const late = await makeBatch(kit, phones(2), hourAhead());
  await act(kit, late.id, "pause", 2);
  await kit.advance(3_601);
  assert.equal((await readBatch(kit, early.id)).status, "complete");
  assert.deepEqual((await readBatch(kit, late.id)).counts, countsOf({ paused: 2 }));
  assert.equal((await act(kit, late.id, "resume", 2)).status, "sending");
  await kit.advance(1);
  assert.equal((await readBatch(kit, late.id)).status, "complete");
});

test("a recipient who opts out after creation is skipped, with the reason", async (t) => {
  const kit = await kitWithNumber(t);
  const [first, second, third] = phones(3) as [string, string, string];
  const { id } = await makeBatch(kit, [first, second, third], {
    scheduled_at: kit.deps.clock.now() + 60_000,
  });
  const body = { phone_number: second, status: "opted_out", source: "call" };
  await kit.request("POST", "/v1/consent", { body });
  await kit.advance(61);
  const done = await readBatch(kit, id);
  assert.deepEqual(done.counts, countsOf({ sent: 2, skipped: 1 }));
  const [skipped] = await recipientsOf(kit, id, "&status=skipped");
  assert.equal(skipped.to, second);
  assert.equal(skipped.failure.code, "recipient_opted_out");
  assert.equal(skipped.message_id, null);
  assert.equal(skipped.attempts, 1);
  await act(kit, id, "retry", 0);
});

test("a recipient who opts out while a retry is pending is skipped", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, [REFUSED_FIRST, ...phones(1)]);
  await kit.advance(1);
  const body = { phone_number: REFUSED_FIRST, status: "opted_out", source: "call" };
  await kit.request("POST", "/v1/consent", { body });
  await kit.advance(3_600);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.deepEqual(done.counts, countsOf({ sent: 1, skipped: 1 }));
});

test("a number that was released fails the rest of its batches", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = await makeBatch(kit, phones(3), { scheduled_at: kit.deps.clock.now() + 60_000 });
  const released = await kit.request("DELETE", `/v1/numbers/${encodeURIComponent(BATCH_FROM)}`);
  assert.equal(released.status, 200);
  await kit.advance(61);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.deepEqual(done.counts, countsOf({ failed: 3 }));
  const [row] = await recipientsOf(kit, id);
  assert.equal(row.failure.code, "sender_unavailable");
  await act(kit, id, "retry", 0);
});

test("a customer's batch carries its customer, and applies that customer's opt-outs alone", async (t) => {
  const kit = await kitWithNumber(t);
  const customer = (await kit.request("POST", "/v1/customers", { body: { name: "Acme" } })).body;
  await kit.request("PATCH", `/v1/numbers/${encodeURIComponent(BATCH_FROM)}`, {
    body: { customer_id: customer.id },
  });
  const [mine, theirs] = phones(2) as [string, string];
  const other = (await kit.request("POST", "/v1/customers", { body: { name: "Other" } })).body;
  for (const [phone_number, customer_id] of [
    [mine, customer.id],
    [theirs, other.id],
  ]) {
    const body = { phone_number, status: "opted_out", source: "call", customer_id };
    assert.ok((await kit.request("POST", "/v1/consent", { body })).status < 300);
  }
  const answer = await postBatch(kit, { recipients: [{ to: mine }, { to: theirs }] });
  assert.equal(answer.body.customer_id, customer.id);
  assert.deepEqual(
    answer.body.rejected.map((row: { to: string; reason: string }) => [row.to, row.reason]),
    [[mine, "opted_out"]],
  );
  await kit.advance(1);
  const [complete] = await completions(kit);
  assert.equal(complete.customer_id, customer.id);
});

/** `data` of every `broadcast.complete` event, oldest first. */
async function completions(kit: Kit) {
  const rows = await kit.rows(
    "select data from events where type = 'broadcast.complete' order by seq",
  );
  return rows.map((row) => row.data);
}

function countsOf(given: Readonly<Record<string, number>>) {
  const none = { queued: 0, paused: 0, sent: 0, failed: 0, skipped: 0, canceled: 0 };
  const total = Object.values(given).reduce((sum, part) => sum + part, 0);
  return { total, ...none, ...given };
}
