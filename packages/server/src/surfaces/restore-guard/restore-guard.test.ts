import assert from "node:assert/strict";
import { test } from "node:test";
import { BATCH_FROM, makeBatch, phones, readBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, OPERATOR_TOKEN, startKit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";
import { serve } from "../../app/serve.ts";
import { isShifted } from "../../core/platform/clock.ts";
import { refuseWhileGuarded } from "./index.ts";

/** No worker runs: due work is done when a test moves the clock. */
const NO_WORKER = { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" };
const HOUR_MS = 3_600_000;
/** The simulated carrier refuses the first attempt temporarily. */
const REFUSED_FIRST = "+15005550002";
const DISCARDED_AFTER_SECONDS = 1_800;

/** One of each kind of waiting work, due within half an hour, and one more hours later. */
async function fill(kit: Kit) {
  const soon = kit.deps.clock.now() + 600_000;
  const later = kit.deps.clock.now() + 5 * HOUR_MS;
  const text = { to: "+15005550000", from: BATCH_FROM, body: "Hello" };
  const { body: message } = await kit.request("POST", "/v1/messages", {
    body: { ...text, to: REFUSED_FIRST },
  });
  assert.equal(message.status, "queued");
  const scheduled: string[] = [];
  const batches: string[] = [];
  for (const scheduled_at of [soon, later]) {
    const answer = await kit.request("POST", "/v1/messages", { body: { ...text, scheduled_at } });
    scheduled.push(answer.body.id);
    batches.push((await makeBatch(kit, phones(3), { scheduled_at })).id);
  }
  const schedule = await kit.api.schedules.create({
    ...text,
    rrule: "FREQ=HOURLY;BYMINUTE=0;BYSECOND=0",
    timezone: "UTC",
  });
  return { message: message.id as string, scheduled, batches, schedule };
}

/** Moves the clock without doing due work, as while an installation is down. */
function skipTime(kit: Kit, ms: number): void {
  const { clock } = kit.deps;
  assert.ok(isShifted(clock));
  clock.shiftTo(clock.offsetMs() + ms);
}

async function hold(kit: Kit): Promise<void> {
  await kit.rows("update database_identity set held_since = now(), held_reason = 'A test.'");
}

const texts = async (kit: Kit) =>
  (await kit.rows("select count(*)::int as sent from messages where status <> 'failed'"))[0].sent;

test("waiting work is listed by due time, counted by kind, and sent after a release without a discard", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  await giveNumber(kit);
  const made = await fill(kit);
  skipTime(kit, 6 * HOUR_MS);
  const free = await kit.operator("GET", "/hold");
  assert.equal(free.body.held, false);
  assert.equal(free.body.reason, null);
  const all = { discard_due_before: kit.deps.clock.now() };
  const untouched = await kit.operator("POST", "/hold/release", all);
  assert.deepEqual(untouched.body, free.body, "without a hold nothing is given up");
  await hold(kit);
  const held = await kit.operator("GET", "/hold");
  assert.equal(held.body.reason, "A test.");
  assert.ok(Date.parse(held.body.data_until) > 0);
  const counted = Object.fromEntries(
    held.body.would_send.map((one: { kind: string; texts: number }) => [one.kind, one.texts]),
  );
  assert.deepEqual(counted, {
    message: 1,
    scheduled_message: 2,
    batch: 6,
    schedule: 1,
    automation_run: 0,
  });
  const listed: { id: string; due_at: string; texts: number }[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await kit.operator("GET", `/hold/texts?limit=2${more}`);
    listed.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  assert.deepEqual(
    new Set(listed.map((one) => one.id)),
    new Set([made.message, ...made.scheduled, ...made.batches, made.schedule.id]),
  );
  assert.equal(listed.length, 6);
  const times = listed.map((one) => Date.parse(one.due_at));
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );

  for (const discard_due_before of ["soon", "2100-01-01T00:00:00Z"]) {
    const refused = await kit.operator("POST", "/hold/release", { discard_due_before });
    assertRefused(refused, 400, "invalid_request", "discard_due_before");
  }
  assert.deepEqual((await kit.operator("GET", "/hold")).body, held.body, "and nothing is given up");
  const released = await kit.operator("POST", "/hold/release", { discard_due_before: null });
  assert.equal(released.status, 200, JSON.stringify(released.body));
  assert.equal(released.body.held, false);
  await kit.advance(DISCARDED_AFTER_SECONDS);
  assert.equal((await readBatch(kit, made.batches[0] as string)).status, "complete");
  assert.ok((await texts(kit)) >= 5, "the message, a scheduled one and three of a batch");
  const [logged] = await kit.rows("select action from audit_log where action = 'hold.released'");
  assert.equal(logged?.action, "hold.released");
});

test("work due before the given time is discarded, and the rest is sent when due", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  await giveNumber(kit);
  const made = await fill(kit);
  await hold(kit);
  const before = await texts(kit);
  skipTime(kit, DISCARDED_AFTER_SECONDS * 1_000);
  const cutMs = kit.deps.clock.now();
  const body = { discard_due_before: new Date(cutMs).toISOString() };
  const released = await kit.operator("POST", "/hold/release", body);
  assert.equal(released.status, 200, JSON.stringify(released.body));
  const waiting = await kit.operator("GET", "/hold/texts");
  assert.deepEqual(
    new Set(waiting.body.data.map(({ id }: { id: string }) => id)),
    new Set([made.scheduled[1], made.batches[1], made.schedule.id]),
    "what is given up is not listed as if it would be sent",
  );
  const kinds = released.body.would_send as { kind: string; texts: number; overdue: number }[];
  assert.deepEqual(
    kinds.map(({ kind, texts: left, overdue }) => [kind, left, overdue]),
    [
      ["message", 0, 0],
      ["scheduled_message", 1, 0],
      ["batch", 3, 0],
      ["schedule", 1, 0],
      ["automation_run", 0, 0],
    ],
  );
  await kit.advance(60);
  assert.equal(await texts(kit), before - 1, "nothing left, and the message that waited failed");
  const message = await kit.request("GET", `/v1/messages/${made.message}`);
  assert.equal(message.body.failure.code, "expired");
  const [scheduled] = await kit.rows(
    "select status, failure_code from scheduled_messages order by scheduled_at limit 1",
  );
  assert.deepEqual(scheduled, { status: "failed", failure_code: "expired" });
  const batch = await readBatch(kit, made.batches[0] as string);
  assert.equal(batch.status, "complete");
  assert.equal(batch.counts.failed, 3);
  const schedule = await kit.request("GET", `/v1/schedules/${made.schedule.id}`);
  assert.ok(Date.parse(schedule.body.next_at) >= cutMs);

  await kit.advance(6 * 3_600);
  const [later] = await kit.rows(
    "select status from scheduled_messages order by scheduled_at desc limit 1",
  );
  assert.equal(later.status, "sent");
  assert.equal((await readBatch(kit, made.batches[1] as string)).counts.sent, 3);
});

test("the restore guard lets reads and the release pass, and nothing else", () => {
  for (const [method, path] of [
    ["GET", "/v1/messages"],
    ["HEAD", "/healthz"],
    ["POST", "/operator/v1/hold/release"],
  ] as const) {
    assert.equal(refuseWhileGuarded(method, path), null, path);
  }
  for (const [method, path] of [
    ["POST", "/v1/messages"],
    ["DELETE", "/v1/messages/msg_1"],
    ["POST", "/operator/v1/accounts"],
    ["POST", "/callbacks/one/receipts"],
    ["GET", "/callbacks/one/inbound/token"],
    ["HEAD", "/callbacks/one/inbound/token"],
    ["POST", "/hooks/hook_1"],
    ["POST", "/console/v1/sign-in"],
  ] as const) {
    const refused = refuseWhileGuarded(method, path);
    assert.equal(refused?.code, "unavailable", path);
    assert.equal(refused?.details.headers?.["retry-after"], "60");
  }
});

test("while the restore guard is set, every callback of a carrier gets 503 without a body", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  const guarded = await serve(kit.deps, {
    host: "127.0.0.1",
    port: 0,
    operatorToken: OPERATOR_TOKEN,
    refuse: refuseWhileGuarded,
  });
  t.after(() => guarded.close());
  for (const method of ["POST", "GET", "PUT"]) {
    for (const path of [
      "/callbacks/one/receipts",
      "/callbacks/one/inbound/token",
      "/callbacks/x",
    ]) {
      const response = await fetch(guarded.url + path, { method });
      assert.equal(response.status, 503, `${method} ${path}`);
      assert.equal(response.headers.get("retry-after"), "60");
      // Some carriers send the body of an answer to the person as a message.
      assert.equal(await response.text(), "", `${method} ${path}`);
    }
  }
});
