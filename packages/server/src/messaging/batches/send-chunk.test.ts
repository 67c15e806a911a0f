import assert from "node:assert/strict";
import { test } from "node:test";
import { control, phones, readBatch, recipientsOf } from "../../testing/batches.ts";
import {
  type LiveStage,
  liveBatch,
  money,
  suiteStage,
  useUpAllowance,
} from "../../testing/live-batches.ts";
import { valuesOf } from "../carriers/index.ts";
import { handOverAll, withPlaces } from "../handover/index.ts";
import { toApiId } from "../platform/ids.ts";
import { batchesLane } from "./lane.ts";
import { readDueBatch } from "./sql.ts";
import type { DueBatch } from "./turn.ts";
import { isTakenAtOnce, takeTurnInFlight } from "./turn-at-once.ts";

const stageOf = suiteStage({ LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" });
const WINDOW = 100;

/** The batch that is due, as whoever is about to take its turn reads it. */
async function readDue({ kit }: LiveStage): Promise<DueBatch> {
  const { deps, account } = kit;
  const notNow = valuesOf(deps.carriers.notNow());
  const values = [account.shard, new Date(deps.clock.now()), [], [], [], ...notNow];
  const [batch] = await deps.db.query<DueBatch>(readDueBatch, values);
  assert.ok(batch && isTakenAtOnce(deps, batch));
  assert.equal(batch.account_id, account.id);
  return batch;
}

/** Takes its turn as it was read; answers whether it was taken. */
async function take({ kit: { deps } }: LiveStage, batch: DueBatch, rowsMax = 1_000) {
  const handOvers = await withPlaces(deps.carriers, async (places) => {
    const limit = { rowsMax, inHand: () => {} };
    const made = await takeTurnInFlight(deps, batch, places, limit, deps.clock.now());
    if (made === null) places.giveBackAll();
    return made;
  });
  await handOverAll(deps, handOvers ?? []);
  return handOvers !== null;
}

async function countTexts({ kit }: LiveStage): Promise<number> {
  const rows = await kit.rows("select id from messages where account_id = $1", [kit.account.id]);
  return rows.length;
}

test("every kind of recipient in one turn: sent, opted out, out of credit", async () => {
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

test("a turn for nobody who may be texted leaves a batch that is completed", async () => {
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

test("what was read before another turn was taken is not sent again", async () => {
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

test("nothing of a batch leaves that was paused, canceled or whose account was suspended since", async () => {
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
  await kit.operator("PATCH", account, { status: "active" });
  await control(kit, id, "cancel");
  assert.equal(await take(stage, resumed), false);
  assert.equal(await countTexts(stage), 0);
  assert.equal(carrier.submitted.length, 0);
  assert.equal(carrier.window, WINDOW);
  assert.equal((await readBatch(kit, id)).counts.canceled, 3);
});

test("a recipient that no longer waits undoes the whole turn", async () => {
  const stage = await stageOf();
  const { kit, carrier } = stage;
  const { id } = await liveBatch(stage, phones(3));
  const read = await readDue(stage);
  const change =
    "update batch_recipients set state = $1, failure_code = $2 where batch_id = $3 and index = 1";
  // Read as one that waits, and moved by the time that it is locked.
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
  assert.equal(await countTexts(stage), 0);
  assert.equal(carrier.submitted.length, 0);
  assert.equal(carrier.window, WINDOW);
  await kit.rows(change, ["waiting", null, read.id]);
  await kit.advance(1);
  assert.equal((await readBatch(kit, id)).counts.sent, 3);
});

test("nobody is woken for a batch that has to wait: its account has a turn, or its link is making room", async () => {
  const stage = await stageOf();
  const { kit, carrier } = stage;
  const { deps } = kit;
  const { id } = await liveBatch(stage, phones(2));
  const isFree = async () => (await batchesLane.nextFreeAt?.(deps)) !== null;
  assert.equal(await isFree(), true);
  const end = deps.batchTurns.begin(kit.account.id);
  assert.equal(await isFree(), false);
  assert.notEqual(await batchesLane.nextDueAt(deps), null, "it is due all the same");
  end();
  assert.equal(await isFree(), true);
  const notNow = carrier.notNow;
  Object.assign(carrier, { notNow: () => ({ isAllBut: false, numbers: [stage.from] }) });
  assert.equal(await isFree(), false);
  Object.assign(carrier, { notNow });
  await kit.advance(0);
  assert.equal((await readBatch(kit, id)).status, "complete");
  assert.equal(await isFree(), false);
});
