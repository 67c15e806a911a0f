import assert from "node:assert/strict";
import { test } from "node:test";
import { phones } from "../../../testing/batches.ts";
import { liveBatch, suiteStage } from "../../../testing/live-batches.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { followBatch } from "./follow-function.ts";

const stageOf = suiteStage({ LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" });

const countRead = statement(
  "count_recipients_read",
  `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
     from pg_stat_xact_user_tables where relname like 'batch_recipients%' and $1::int is not null`,
);

/** Recipients of the largest batch, none sent yet. */
const addOthers = statement(
  "add_other_recipients",
  `insert into batch_recipients (shard, batch_id, index, to_number, state, updated_at)
   select $1, $2, n, '+14155552671', 'waiting', now() from generate_series(100, 10000) as n`,
);

const handAgain = statement(
  "hand_recipients_again",
  `with again as (
     update batch_recipients set state = 'handed' where shard = $1 and batch_id = $2 and index < 3
   )
   update batches set status = 'sending', completed_at = null, handed = 3, sent = 0 where shard = $1 and id = $2`,
);

test("a settlement reads only its own recipients of a long batch, even with a plan cached for a short one", async () => {
  const stage = await stageOf();
  const { deps, account, rows } = stage.kit;
  const { id } = await liveBatch(stage, phones(3));
  await stage.kit.advance(0);
  const batch = fromApiId("batch", id);
  const texts = await rows("select id from messages where batch_id = $1 order by batch_index", [
    batch,
  ]);
  await rows("analyze batch_recipients");
  const ids = texts.map((text) => text.id);
  const values = [account.shard, new Date(), batch, ids, [0, 1, 2], 0, 2];
  const read = await deps.db.tx(async (tx) => {
    const counts: number[] = [];
    for (const isLong of [false, true]) {
      if (isLong) await tx.query(addOthers, [account.shard, batch]);
      await tx.query(handAgain, [account.shard, batch]);
      const [before] = await tx.query<{ rows: number }>(countRead, [account.shard]);
      await tx.query(followBatch.call, values);
      const [after] = await tx.query<{ rows: number }>(countRead, [account.shard]);
      counts.push((after?.rows ?? 0) - (before?.rows ?? 0));
    }
    return counts;
  }, "groups");
  const [whenShort = 0, whenLong = 0] = read;
  assert.ok(whenShort >= 6, `${whenShort} were read and written`);
  assert.ok(whenLong <= 2 * whenShort, `${whenLong} were read where ${whenShort} had been`);
});
