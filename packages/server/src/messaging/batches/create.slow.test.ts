import assert from "node:assert/strict";
import { test } from "node:test";
import { phones, postBatch, readBatch, untilBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";

test("10,000 recipients with variables fit in one request and one answer", async (t) => {
  const kit = await startKit(t, { LONGWAVE_BATCH_PACE: "0" });
  await giveNumber(kit);
  const recipients = phones(10_000).map((to, n) => ({ to, variables: { name: `Person ${n}` } }));
  const answer = await postBatch(kit, { body: "Hi {{name}}", recipients });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.counts.total, 10_000);
  await untilBatch(kit, answer.body.id, "complete", 60_000);
  const [sums] = await kit.rows(
    `select count(*)::int as messages, count(distinct to_number)::int as phones,
            count(distinct batch_index)::int as rows,
            count(*) filter (where body = 'Hi Person ' || batch_index)::int as merged from messages`,
  );
  assert.deepEqual(sums, { messages: 10_000, phones: 10_000, rows: 10_000, merged: 10_000 });
  const events = await kit.rows(
    "select count(*)::int as n, max(seq)::int as last from events where type <> 'message.delivered'",
  );
  assert.equal(events[0].n, 10_001);
  assert.equal((await readBatch(kit, answer.body.id)).counts.sent, 10_000);
});
