import assert from "node:assert/strict";
import { test } from "node:test";
import {
  makeBatch,
  phones,
  postBatch,
  recipientsOf,
  untilBatch,
} from "../../../testing/batches.ts";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../testing/live.ts";

const openAccount = freshAccounts();

async function optOut(kit: Kit, phone: string): Promise<void> {
  const body = { phone_number: phone, status: "opted_out", source: "test" };
  const answer = await kit.request("POST", "/v1/consent", { body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
}

const ROWS = [
  { to: "nonsense" },
  { to: "+18765550123" },
  { to: "(212) 200-0000", variables: { name: "Ada" } },
  { to: "+12122000000", variables: { name: "Again" } },
  { to: "+12122000001", variables: {} },
  { to: "+12122000001", variables: { name: "Repeats a row that was opted out" } },
  { to: "+15005550007", variables: { name: "Landline" } },
  { to: "+12122000002" },
  { to: "+12122000003", variables: { name: "  " } },
  { to: "+12122000004", variables: { name: "x".repeat(1_600) } },
  { to: "+12122000005", variables: { name: "{{other}}" } },
];
const REASONS = [
  [0, "malformed"],
  [1, "malformed"],
  [3, "duplicate"],
  [4, "opted_out"],
  [5, "opted_out"],
  [6, "landline"],
  [7, "missing_variable"],
  [8, "missing_variable"],
  [9, "too_long"],
];

test("rows are rejected for the first reason that applies, and a dry run changes nothing", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  await optOut(kit, "+12122000001");
  const before = await dump(kit);
  const answer = await postBatch(kit, {
    body: "Hi {{ name }}, we open at 9.",
    recipients: ROWS,
    check_line_types: true,
    dry_run: true,
  });
  assert.equal(answer.status, 200);
  const { rejected, ...rest } = answer.body;
  assert.deepEqual(
    rejected.map((row: { index: number; reason: string }) => [row.index, row.reason]),
    REASONS,
  );
  assert.deepEqual(
    rejected.map((row: { to: string }) => row.to),
    REASONS.map(([index]) => ROWS[index as number]?.to),
  );
  assert.ok(rejected.every((row: { detail: string }) => row.detail.length > 10));
  assert.deepEqual(rest, {
    object: "batch_validation",
    total: 11,
    valid: 2,
    duplicates: 1,
    opted_out: 2,
    malformed: 2,
    landlines: 1,
    segments: { min: 1, max: 1, total: 2 },
    estimated_cost_usd: 0,
    waiting: { count: 0, until: null },
    preview: [
      { to: "+12122000000", body: "Hi Ada, we open at 9." },
      { to: "+12122000005", body: "Hi {{other}}, we open at 9." },
    ],
  });
  assert.equal(await dump(kit), before);
});

test("a batch leaves out its rejected rows, and every other row becomes a message", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  await optOut(kit, "+12122000001");
  const answer = await postBatch(kit, {
    name: "Opening hours",
    body: "Hi {{name|there}}!",
    recipients: ROWS,
  });
  assert.equal(answer.status, 201);
  const reasons = answer.body.rejected.map((row: { reason: string }) => row.reason);
  assert.deepEqual(reasons, [
    "malformed",
    "malformed",
    "duplicate",
    "opted_out",
    "opted_out",
    "too_long",
  ]);
  assert.equal(answer.body.counts.total, 5);
  const { rejected: _, ...made } = answer.body;
  const batch = await untilBatch(kit, made.id, "complete");
  assert.deepEqual(batch, {
    ...made,
    status: "complete",
    counts: { total: 5, queued: 0, paused: 0, sent: 5, failed: 0, skipped: 0, canceled: 0 },
    completed_at: batch.completed_at,
  });
  assert.notEqual(batch.completed_at, null);
  const recipients = await recipientsOf(kit, made.id);
  assert.deepEqual(
    recipients.map((row) => [row.index, row.to, row.status, row.attempts]),
    [
      [2, "+12122000000", "sent", 1],
      [6, "+15005550007", "sent", 1],
      [7, "+12122000002", "sent", 1],
      [8, "+12122000003", "sent", 1],
      [10, "+12122000005", "sent", 1],
    ],
  );
  assert.deepEqual(recipients[0].variables, { name: "Ada" });
  assert.deepEqual(recipients[2].variables, {});
  const texts = await Promise.all(
    recipients.map(async (row) => {
      const message = await kit.request("GET", `/v1/messages/${row.message_id}`);
      assert.equal(message.body.batch_id, made.id);
      assert.equal(message.body.simulated, true);
      return message.body.body;
    }),
  );
  assert.deepEqual(texts, ["Hi Ada!", "Hi Landline!", "Hi there!", "Hi there!", "Hi {{other}}!"]);
});

test("an invalid batch is refused, naming the invalid field", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  await giveNumber(kit, { phone: "+14155550199", mode: "live", senderState: "active" });
  const recipients = [{ to: "+15005550000" }];
  const refusal = (body: object) => postBatch(kit, { recipients, ...body });
  assertRefused(await postBatch(kit, {}), 400, "invalid_request", "recipients");
  assertRefused(await refusal({ tags: ["vip"] }), 400, "invalid_request", "tags");
  assertRefused(await refusal({ customer_id: "cus_1" }), 400, "invalid_request", "customer_id");
  assertRefused(await refusal({ schedule_at: "x" }), 400, "invalid_request", "schedule_at");
  assertRefused(await refusal({ body: "  " }), 400, "invalid_request", "body");
  assertRefused(await refusal({ body: "Hi {{name" }), 400, "invalid_request", "body");
  assertRefused(await refusal({ body: "x".repeat(1_601) }), 400, "invalid_request", "body");
  assertRefused(await refusal({ name: "x".repeat(81) }), 400, "invalid_request", "name");
  assertRefused(await refusal({ scheduled_at: 5 }), 400, "invalid_request", "scheduled_at");
  const past = new Date(kit.deps.clock.now() - 1_000).toISOString();
  assertRefused(await refusal({ scheduled_at: past }), 400, "invalid_request", "scheduled_at");
  const far = kit.deps.clock.now() + 30 * 86_400_000 + 60_000;
  assertRefused(await refusal({ scheduled_at: far }), 400, "invalid_request", "scheduled_at");
  assertRefused(await refusal({ from: "+12125550111" }), 403, "sender_not_owned", "from");
  assertRefused(await refusal({ from: "pool_x" }), 403, "sender_not_owned", "from");
  assertRefused(await refusal({ from: "+14155550199" }), 403, "mode_mismatch", "from");
  assertRefused(
    await refusal({ recipients: [{ to: "1" }, { to: 2 }] }),
    400,
    "invalid_request",
    "recipients[1].to",
  );
  assertRefused(
    await refusal({ recipients: [{ to: "+15005550000", variables: { a: 1 } }] }),
    400,
    "invalid_request",
    "recipients[0].variables.a",
  );
  assertRefused(await refusal({ recipients: [] }), 400, "no_valid_recipients", "recipients");
  assertRefused(
    await refusal({ recipients: [{ to: "x" }] }),
    400,
    "no_valid_recipients",
    "recipients",
  );
  const tooMany = phones(10_001).map((to) => ({ to }));
  assertRefused(await refusal({ recipients: tooMany }), 400, "invalid_request", "recipients");
  const nobody = await refusal({ recipients: [{ to: "x" }], dry_run: true });
  assert.equal(nobody.status, 200);
  assert.equal(nobody.body.valid, 0);
  const [row] = await kit.rows("select count(*)::int as n from batches");
  assert.equal(row.n, 0);
});

test("only the first 500 different numbers are looked up", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  const before = phones(499);
  const rows = (to: readonly string[]) => to.map((number) => ({ to: number }));
  const options = { dry_run: true, check_line_types: true };
  const landline = "+15005550007";
  const within = await postBatch(kit, {
    // Repeated and malformed rows do not count towards the 500.
    recipients: rows([...before, ...before, "x", landline]),
    ...options,
  });
  assert.equal(within.body.landlines, 1);
  const beyond = await postBatch(kit, {
    recipients: rows([...before, "+12122000777", landline]),
    ...options,
  });
  assert.equal(beyond.body.landlines, 0);
});

test("an idempotency key creates one batch, and another body is a conflict", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  const headers = { "idempotency-key": "campaign-1" };
  const body = { recipients: phones(50).map((to) => ({ to })) };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => postBatch(kit, body, { headers })),
  );
  const made = answers.filter((answer) => answer.status === 201);
  assert.ok(made.length >= 1);
  assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
  const replay = await postBatch(kit, body, { headers });
  assert.equal(replay.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(replay.body, made[0]?.body);
  const other = await postBatch(kit, { recipients: [{ to: "+15005550000" }] }, { headers });
  assertRefused(other, 409, "idempotency_conflict");
  await untilBatch(kit, made[0]?.body.id, "complete");
  const [row] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(row.n, 50);
});

test("the estimated cost of a live batch uses up the allowance before it charges", async (t) => {
  const kit = await openAccount(t);
  await goLive(kit);
  await giveNumber(kit, { phone: "+14155550100", mode: "live", senderState: "active" });
  const answer = await postBatch(
    kit,
    { from: "+14155550100", recipients: phones(150).map((to) => ({ to })), dry_run: true },
    { key: kit.liveKey },
  );
  assert.equal(answer.status, 200);
  assert.equal(answer.body.estimated_cost_usd, 0.45);
});

test("batches are listed newest first, by status, within their account", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const later = n % 2 === 0 ? {} : { scheduled_at: kit.deps.clock.now() + 3_600_000 };
    made.push((await makeBatch(kit, ["+15005550000"], later)).id);
  }
  const list = async (query: string) => {
    const answer = await kit.request("GET", `/v1/batches${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const ids = (page: { data: { id: string }[] }) => page.data.map((batch) => batch.id);
  const first = await list("?limit=3");
  assert.deepEqual(ids(first), [made[4], made[3], made[2]]);
  assert.equal(first.has_more, true);
  const second = await list(`?limit=3&cursor=${first.next_cursor}`);
  assert.deepEqual(ids(second), [made[1], made[0]]);
  assert.deepEqual(second.has_more, false);
  assert.deepEqual(ids(await list("?status=scheduled")), [made[3], made[1]]);
  const wrong = await kit.request("GET", `/v1/batches?status=paused&cursor=${first.next_cursor}`);
  assertRefused(wrong, 400, "invalid_request", "cursor");
  assertRefused(await kit.request("GET", "/v1/batches?limit=101"), 400, "invalid_request", "limit");

  const other = await secondAccount(kit);
  const id = made[0] as string;
  for (const path of [
    `/v1/batches/${id}`,
    `/v1/batches/${id}/recipients`,
    `/v1/batches/${id}/results`,
  ]) {
    assertRefused(await other.request("GET", path), 404, "not_found");
  }
  assertRefused(await other.request("POST", `/v1/batches/${id}/cancel`), 404, "not_found");
  assertRefused(await kit.request("GET", "/v1/batches/bat_nonsense"), 404, "not_found");
});

test("recipients are paged in upload order, and a cursor is valid for its list only", async (t) => {
  const kit = await openAccount(t);
  await giveNumber(kit);
  const to = phones(7);
  const { id } = await makeBatch(kit, to);
  await untilBatch(kit, id, "complete");
  const seen: string[] = [];
  let cursor = "";
  for (;;) {
    const path = `/v1/batches/${id}/recipients?limit=3&status=sent${cursor}`;
    const { body } = await kit.request("GET", path);
    seen.push(...body.data.map((row: { to: string }) => row.to));
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, to);
  const path = `/v1/batches/${id}/recipients?limit=3${cursor}`;
  assertRefused(await kit.request("GET", path), 400, "invalid_request", "cursor");
  const tooMany = await kit.request("GET", `/v1/batches/${id}/recipients?limit=501`);
  assertRefused(tooMany, 400, "invalid_request", "limit");
  assert.deepEqual(await recipientsOf(kit, id, "&status=failed"), []);
});

/** All rows that a dry run could have changed. */
async function dump(kit: Kit): Promise<string> {
  const tables = [
    "batches",
    "batch_recipients",
    "batch_pace",
    "messages",
    "events",
    "account_counters",
    "idempotency_keys",
    "consent_states",
  ];
  const rows = await Promise.all(
    tables.map((table) => kit.rows(`select x::text as row from ${table} x order by 1`)),
  );
  return JSON.stringify(rows);
}
