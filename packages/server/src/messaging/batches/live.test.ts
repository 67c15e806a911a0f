import assert from "node:assert/strict";
import { test } from "node:test";
import { control, makeBatch, phones, readBatch, recipientsOf } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { addCredit, goLive } from "../../../testing/live.ts";
import { liveBatch, money, suiteStage, useUpAllowance } from "../../../testing/live-batches.ts";
import { accepted, type TestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
const NO_WORKER = { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" };
const TEMPORARY = () => ({ kind: "refused" as const, isTemporary: true, carrierCode: "88" });

function toOf(carrier: TestCarrier): string[] {
  return carrier.submitted.map((text) => text.to).sort((a, b) => (a < b ? -1 : 1));
}

const byClock = suiteStage(NO_WORKER);
const byWorker = suiteStage({ ...NO_WORKER, LONGWAVE_ROLES: "api,worker" });

test("live recipients are each sent to once and charged once", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  await useUpAllowance(kit);
  const to = phones(20);
  const { id } = await liveBatch(stage, to);
  await kit.advance(1);
  const done = await readBatch(kit, id);
  assert.equal(done.status, "complete");
  assert.equal(done.counts.sent, 20);
  assert.deepEqual(toOf(carrier), to);
  const after = await money(kit);
  assert.equal(after.balance_micros, 10_000_000 - 20 * 9_000);
  assert.equal(after.reserved_micros, 0);
  assert.equal(after.quota_used, 20);
});

test("a batch continues as window slots become free, never beyond the window", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  carrier.window = 3;
  let open = 0;
  let most = 0;
  carrier.answers = [
    async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return accepted();
    },
  ];
  const { id } = await liveBatch(stage, phones(20));
  await kit.advance(10);
  assert.equal((await readBatch(kit, id)).status, "complete");
  assert.equal(carrier.submitted.length, 20);
  assert.equal(most, 3);
  assert.equal(carrier.window, 3);
});

test("carrier answers: accepted, refused, refused temporarily, and none at all", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  await useUpAllowance(kit);
  const [fine, refused, later, silent] = phones(4) as [string, string, string, string];
  const attempts = new Map<string, number>();
  carrier.answers = [
    ({ to }) => {
      const attempt = (attempts.get(to) ?? 0) + 1;
      attempts.set(to, attempt);
      if (to === refused) return { kind: "refused", isTemporary: false, carrierCode: "11" };
      if (to === later && attempt === 1) return TEMPORARY();
      return to === silent ? { kind: "unknown" } : accepted();
    },
  ];
  const { id } = await liveBatch(stage, [fine, refused, later, silent]);
  await kit.advance(1);
  const statuses = async () => (await recipientsOf(kit, id)).map((row) => row.status);
  assert.deepEqual(await statuses(), ["sent", "failed", "queued", "queued"]);
  await kit.advance(60);
  assert.deepEqual(await statuses(), ["sent", "failed", "sent", "queued"]);
  assert.equal((await readBatch(kit, id)).status, "sending");
  await kit.advance(900);
  const rows = await recipientsOf(kit, id);
  assert.deepEqual(
    rows.map((row) => [row.status, row.failure?.code ?? null, row.failure?.carrier_code ?? null]),
    [
      ["sent", null, null],
      ["failed", "carrier_rejected", "11"],
      ["sent", null, null],
      ["failed", "outcome_unknown", null],
    ],
  );
  assert.equal((await readBatch(kit, id)).status, "complete");
  // A recipient who may have got the message is not sent to again.
  assert.equal((await control(kit, id, "retry")).body.affected, 0);
  await kit.advance(86_400);
  assert.deepEqual(Object.fromEntries(attempts), {
    [fine]: 1,
    [refused]: 1,
    [later]: 2,
    [silent]: 1,
  });
  assert.equal((await money(kit)).balance_micros, 10_000_000 - 2 * 9_000);
});

test("rows without credit fail, and a retry after a top-up sends exactly these rows", async () => {
  const stage = await byClock(0.045);
  const { kit, carrier } = stage;
  await useUpAllowance(kit);
  const to = phones(8);
  const { id } = await liveBatch(stage, to);
  await kit.advance(1);
  const poor = await readBatch(kit, id);
  assert.equal(poor.status, "complete");
  assert.equal(poor.counts.sent, 5);
  assert.equal(poor.counts.failed, 3);
  const failed = await recipientsOf(kit, id, "&status=failed");
  assert.deepEqual(
    failed.map((row) => [row.failure.code, row.message_id, row.attempts]),
    Array.from({ length: 3 }, () => ["insufficient_credits", null, 1]),
  );
  assert.equal((await control(kit, id, "retry")).body.affected, 3);
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.failed, 3);
  await addCredit(kit, 1);
  assert.equal((await control(kit, id, "retry")).body.affected, 3);
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.sent, 8);
  assert.deepEqual(toOf(carrier), to);
  const [first] = await recipientsOf(kit, id);
  assert.equal(first.attempts, 1);
  assert.equal((await recipientsOf(kit, id)).at(-1).attempts, 3);
});

test("rows over the daily quota fail, and can be retried the next day", async () => {
  const stage = await byClock();
  const { kit } = stage;
  const account = toApiId("account", kit.account.id);
  await kit.operator("PATCH", `/accounts/${account}`, { daily_message_quota: 2 });
  const { id } = await liveBatch(stage, phones(3));
  await kit.advance(1);
  const [row] = await recipientsOf(kit, id, "&status=failed");
  assert.equal(row.failure.code, "quota_exceeded");
  await kit.advance(86_400);
  await control(kit, id, "retry");
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.sent, 3);
});

test("an unregistered number sends only to the account's verified numbers", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  const from = await giveNumber(kit, {
    phone: "+14155550101",
    mode: "live",
    senderState: "pending",
  });
  const [own, stranger] = phones(2) as [string, string];
  const account = toApiId("account", kit.account.id);
  await kit.operator("POST", `/accounts/${account}/verified_numbers`, { phone_number: own });
  const { id } = await liveBatch(stage, [own, stranger], { from });
  await kit.advance(1);
  assert.deepEqual(toOf(carrier), [own]);
  const rows = await recipientsOf(kit, id);
  assert.deepEqual(
    rows.map((row) => [row.status, row.failure?.code ?? null]),
    [
      ["sent", null],
      ["failed", "sender_not_registered"],
    ],
  );
  assert.equal(carrier.window, 100);
});

test("a sandbox batch simulates, except to the account's verified number", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  await giveNumber(kit);
  const [own, stranger] = phones(2) as [string, string];
  const account = toApiId("account", kit.account.id);
  await kit.operator("POST", `/accounts/${account}/verified_numbers`, { phone_number: own });
  const { id } = await makeBatch(kit, [own, stranger]);
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.sent, 2);
  assert.deepEqual(toOf(carrier), [own]);
});

test("a suspended account's batches stop, and continue once the account is active again", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  const account = `/accounts/${toApiId("account", kit.account.id)}`;
  const later = await liveBatch(stage, phones(3), {
    scheduled_at: kit.deps.clock.now() + 60_000,
  });
  const now = await liveBatch(stage, phones(3, 10));
  await kit.operator("PATCH", account, { status: "suspended" });
  await kit.advance(86_400);
  assert.equal(carrier.submitted.length, 0);
  await kit.operator("PATCH", account, { status: "active" });
  await kit.advance(0);
  assert.equal((await readBatch(kit, now.id)).status, "complete");
  assert.equal((await readBatch(kit, later.id)).status, "complete");
  assert.equal(carrier.submitted.length, 6);
});

test("a number with an unpaid month sends nothing of its batches until it is paid", async () => {
  const stage = await byClock();
  const { kit, carrier } = stage;
  const owe = async (since: Date | null) => {
    await kit.rows("update numbers set unpaid_since = $1 where account_id = $2", [
      since,
      kit.account.id,
    ]);
    kit.deps.numbers.senders.forget(kit.account.id);
  };
  await owe(new Date(kit.deps.clock.now()));
  const now = await liveBatch(stage, phones(3));
  const later = await liveBatch(stage, phones(3, 10), {
    scheduled_at: kit.deps.clock.now() + 60_000,
  });
  const before = await money(kit);
  await kit.advance(1);
  const rows = await recipientsOf(kit, now.id);
  assert.deepEqual(
    rows.map((row) => [row.status, row.failure?.code, row.message_id]),
    rows.map(() => ["failed", "sender_unavailable", null]),
  );
  assert.equal((await readBatch(kit, now.id)).status, "complete");
  assert.equal((await control(kit, now.id, "retry")).body.affected, 0);
  assert.equal(carrier.submitted.length, 0);
  assert.deepEqual(await money(kit), before);
  await owe(null);
  await kit.advance(60);
  assert.equal((await readBatch(kit, later.id)).counts.sent, 3);
  assert.deepEqual(toOf(carrier), phones(3, 10));
});

test("a row canceled while it waits for a retry fails at once, uncharged, and counts nowhere", async () => {
  const stage = await byWorker();
  const { kit, carrier } = stage;
  carrier.answers = [TEMPORARY, TEMPORARY, accepted];
  const { id } = await liveBatch(stage, phones(3));
  await until(async () => (await readBatch(kit, id)).counts.sent === 1);
  const used = async () =>
    (
      await kit.rows("select texts_used from account_counters where account_id = $1", [
        kit.account.id,
      ])
    )[0].texts_used;
  assert.equal(await used(), 3);
  const canceled = await control(kit, id, "cancel");
  assert.equal(canceled.body.affected, 2);
  const failed = async () =>
    kit.rows(
      "select failure_code, price_micros, billing from messages where account_id = $1 and status = 'failed'",
      [kit.account.id],
    );
  assert.equal(canceled.body.sweep_complete, true);
  // Failed, and free again, when the call answers.
  const free = { failure_code: "canceled", price_micros: 0, billing: "released" };
  assert.deepEqual(await failed(), [free, free]);
  assert.equal(await used(), 1);
  assert.equal(carrier.submitted.length, 3);
  const events = await kit.rows(
    "select data from events where account_id = $1 and type = 'message.failed'",
    [kit.account.id],
  );
  assert.deepEqual(
    events.map((event) => event.data.failure.code),
    ["canceled", "canceled"],
  );
  const { body: results } = await kit.request("GET", `/v1/batches/${id}/results`, {
    key: kit.liveKey,
  });
  assert.equal(results.attempted, 1);
  assert.equal(results.failed, 0);
  assert.deepEqual(results.failures, []);
  assert.deepEqual((await readBatch(kit, id)).counts, canceled.body.counts);
});

test("a message with the carrier when its batch is canceled is not retried", async () => {
  const stage = await byWorker();
  const { kit, carrier } = stage;
  const answers: (() => void)[] = [];
  carrier.window = 2;
  carrier.answers = [
    () =>
      new Promise((resolve) => {
        answers.push(() => resolve(TEMPORARY()));
      }),
  ];
  const { id } = await liveBatch(stage, phones(5));
  await until(() => answers.length === 2);
  const canceled = await control(kit, id, "cancel");
  assert.equal(canceled.body.affected, 3);
  assert.equal(canceled.body.counts.queued, 2);
  for (const answer of answers) answer();
  await until(async () => (await readBatch(kit, id)).counts.queued === 0);
  await kit.advance(86_400);
  const after = await readBatch(kit, id);
  assert.equal(after.counts.failed, 2);
  assert.equal(after.counts.canceled, 3);
  assert.equal(carrier.submitted.length, 2);
  const messages = await kit.rows(
    "select status, failure_code from messages where account_id = $1",
    [kit.account.id],
  );
  assert.deepEqual(
    messages,
    Array.from({ length: 2 }, () => ({ status: "failed", failure_code: "carrier_unavailable" })),
  );
});

test("a message with the carrier when its batch is paused still arrives", async () => {
  const stage = await byWorker();
  const { kit, carrier } = stage;
  const answers: (() => void)[] = [];
  carrier.window = 2;
  carrier.answers = [
    () =>
      new Promise((resolve) => {
        answers.push(() => resolve(accepted()));
      }),
  ];
  const { id } = await liveBatch(stage, phones(5));
  await until(() => answers.length === 2);
  assert.equal((await control(kit, id, "pause")).body.affected, 3);
  for (const answer of answers.splice(0)) answer();
  await until(async () => (await readBatch(kit, id)).counts.sent === 2);
  await kit.advance(3_600);
  assert.equal(carrier.submitted.length, 2);
  carrier.answers = [() => accepted()];
  await control(kit, id, "resume");
  await until(async () => (await readBatch(kit, id)).status === "complete");
  assert.equal(new Set(toOf(carrier)).size, 5);
});

test("without a carrier, rows wait as after a temporary refusal, and fail in the end", async (t) => {
  const kit = await startKit(t, NO_WORKER);
  await goLive(kit);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const { id } = await liveBatch({ kit, from: FROM }, phones(2));
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.queued, 2);
  await kit.advance(4 * 3_600);
  assert.equal((await readBatch(kit, id)).status, "complete");
  const [row] = await recipientsOf(kit, id);
  assert.equal(row.failure.code, "carrier_unavailable");
});
