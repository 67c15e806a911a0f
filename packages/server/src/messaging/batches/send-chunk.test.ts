import assert from "node:assert/strict";
import { test } from "node:test";
import { control, phones, readBatch, recipientsOf } from "../../../testing/batches.ts";
import {
  type LiveStage,
  liveBatch,
  money,
  suiteStage,
  useUpAllowance,
} from "../../../testing/live-batches.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { valuesOf } from "../../network/carriers/index.ts";
import { submitAll } from "../outbound/index.ts";
import { isSendable } from "./advance-batch.ts";
import type { DueBatch } from "./batch-row.ts";
import { batchesLane } from "./lane.ts";
import { sendChunks } from "./send-chunk.ts";
import { readDueBatch } from "./sql.ts";

const stageOf = suiteStage({ LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" });
const WINDOW = 100;

/** The due batch, as the lane reads it before it composes a chunk. */
async function readDue({ kit }: LiveStage): Promise<DueBatch> {
  const { deps, account } = kit;
  const deferred = valuesOf(deps.carriers.deferredNumbers());
  const values = [account.shard, new Date(deps.clock.now()), [], [], [], ...deferred, null];
  const [batch] = await deps.db.query<DueBatch>(readDueBatch, values);
  assert.ok(batch && isSendable(batch));
  assert.equal(batch.account_id, account.id);
  return batch;
}

/** Sends a chunk of the batch as read; returns whether the write went through. */
async function take({ kit: { deps } }: LiveStage, batch: DueBatch, rowsMax = 1_000) {
  const limit = { rowsMax, claimed: () => {} };
  const { outcome, submissions } = await sendChunks(deps, batch, limit, deps.clock.now());
  await submitAll(deps, submissions);
  assert.notEqual(outcome, "paced");
  return outcome !== "moved";
}

async function countMessages({ kit }: LiveStage): Promise<number> {
  const rows = await kit.rows("select id from messages where account_id = $1", [kit.account.id]);
  return rows.length;
}

test("one chunk handles sent, opted out and out of credit recipients", async () => {
  const stage = await stageOf(0.018);
  const { kit, carrier } = stage;
  await useUpAllowance(kit);
  const [first, stopped, second, poor] = phones(4) as [string, string, string, string];
  const { id } = await liveBatch(stage, [first, stopped, second, poor]);
  const consent = { phone_number: stopped, status: "opted_out", source: "api" };
  const optedOut = await kit.request("POST", "/v1/consent", { key: kit.liveKey, body: consent });
  assert.ok(optedOut.status < 300, JSON.stringify(optedOut.body));
  assert.ok(await take(stage, await readDue(stage)));
  assert.deepEqual(
    (await recipientsOf(kit, id)).map((row) => [
      row.status,
      row.failure?.code ?? null,
      row.attempts,
    ]),
    [
      ["sent", null, 1],
      ["skipped", "recipient_opted_out", 1],
      ["sent", null, 1],
      ["failed", "insufficient_credits", 1],
    ],
  );
  assert.deepEqual(
    carrier.submitted.map((text) => text.to),
    [first, second],
  );
  assert.equal(carrier.window, WINDOW);
  assert.equal((await money(kit)).balance_micros, 0);
  await kit.advance(0);
  assert.equal((await readBatch(kit, id)).status, "complete");
});

test("a batch whose last chunk has no accepted message completes", async () => {
  const stage = await stageOf(0);
  await useUpAllowance(stage.kit);
  const { id } = await liveBatch(stage, phones(3));
  assert.ok(await take(stage, await readDue(stage)));
  const { status, counts } = await readBatch(stage.kit, id);
  assert.deepEqual([status, counts.failed], ["sending", 3]);
  await stage.kit.advance(0);
  assert.equal((await readBatch(stage.kit, id)).status, "complete");
  assert.equal(stage.carrier.submitted.length, 0);
  assert.equal(stage.carrier.window, WINDOW);
});

test("a chunk read before another one was sent is not sent again", async () => {
  const stage = await stageOf();
  const { id } = await liveBatch(stage, phones(10));
  const read = await readDue(stage);
  assert.ok(await take(stage, read, 4));
  assert.equal(await take(stage, read, 4), false);
  assert.equal(stage.carrier.submitted.length, 4);
  assert.equal(stage.carrier.window, WINDOW);
  assert.ok(await take(stage, await readDue(stage)));
  assert.deepEqual(
    stage.carrier.submitted.map((text) => text.to),
    phones(10),
  );
  await stage.kit.advance(0);
  const { status, counts } = await readBatch(stage.kit, id);
  assert.deepEqual([status, counts.sent], ["complete", 10]);
});

test("a chunk is not sent once its batch is paused or canceled, or its account may not send", async () => {
  const stage = await stageOf();
  const { kit, carrier } = stage;
  const { id } = await liveBatch(stage, phones(3));
  const read = await readDue(stage);
  await control(kit, id, "pause");
  assert.equal(await take(stage, read), false);
  await control(kit, id, "resume");
  const resumed = await readDue(stage);
  const account = `/accounts/${toApiId("account", kit.account.id)}`;
  await kit.operator("PATCH", account, { status: "suspended" });
  assert.equal(await take(stage, resumed), false);
  await kit.operator("PATCH", account, { status: "active", live_access: "none" });
  assert.equal(await take(stage, resumed), false);
  await kit.operator("PATCH", account, { live_access: "granted" });
  await control(kit, id, "cancel");
  assert.equal(await take(stage, resumed), false);
  assert.equal(await countMessages(stage), 0);
  assert.equal(carrier.submitted.length, 0);
  assert.equal(carrier.window, WINDOW);
  assert.equal((await readBatch(kit, id)).counts.canceled, 3);
});

test("a recipient that no longer waits rolls back the whole chunk", async () => {
  const stage = await stageOf();
  const { kit, carrier } = stage;
  const { id } = await liveBatch(stage, phones(3));
  const read = await readDue(stage);
  const change =
    "update batch_recipients set state = $1, failure_code = $2 where batch_id = $3 and index = 1";
  // The row waits when the chunk is read, and has moved by the time it is locked.
  const query = kit.deps.db.query.bind(kit.deps.db);
  const deps = {
    ...kit.deps,
    db: Object.assign(Object.create(kit.deps.db), {
      async query(...asked: Parameters<typeof query>) {
        const rows = await query(...asked);
        if (asked[0] && "name" in asked[0] && asked[0].name === "read_waiting_recipients") {
          await kit.rows(change, ["failed", "expired", read.id]);
        }
        return rows;
      },
    }),
  };
  await assert.rejects(take({ ...stage, kit: { ...kit, deps } }, read), /did not wait any more/);
  assert.equal(await countMessages(stage), 0);
  assert.equal(carrier.submitted.length, 0);
  assert.equal(carrier.window, WINDOW);
  await kit.rows(change, ["waiting", null, read.id]);
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.sent, 3);
});

test("no loop wakes for a batch whose account has a run or whose carrier window is full", async () => {
  const stage = await stageOf();
  const { kit, carrier } = stage;
  const { deps } = kit;
  const { id } = await liveBatch(stage, phones(2));
  const isFree = async () => (await batchesLane.nextFreeAt?.(deps)) !== null;
  assert.equal(await isFree(), true);
  const end = deps.batchRotation.begin(kit.account.id);
  assert.equal(await isFree(), false);
  assert.notEqual(await batchesLane.nextDueAt(deps), null, "it is due all the same");
  end();
  assert.equal(await isFree(), true);
  const { deferredNumbers } = carrier;
  Object.assign(carrier, { deferredNumbers: () => ({ isAllBut: false, numbers: [stage.from] }) });
  assert.equal(await isFree(), false);
  Object.assign(carrier, { deferredNumbers });
  await kit.advance(0);
  assert.equal((await readBatch(kit, id)).status, "complete");
  assert.equal(await isFree(), false);
});
