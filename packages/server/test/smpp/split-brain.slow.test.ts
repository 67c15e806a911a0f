import assert from "node:assert/strict";
import test from "node:test";
import { ACCEPTED } from "@longwave/smpp/smsc";
import { phones, readBatch } from "../../testing/batches.ts";
import { startKitOn } from "../../testing/kit.ts";
import { carriersFile, smppEntry, startSmppStage } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { assertOnce, sendLiveBatch } from "./live-batch.ts";

const WINDOW = 5;
const RETRY_SECONDS = 35;

test("two processes that both believe they own a bind send no duplicates, and one disconnects", async (t) => {
  const behave = () => ({ ...ACCEPTED, answerDelayMs: 20, receipt: null });
  const stage = await startSmppStage(t, { behave }, { window: WINDOW });
  const { kit, smsc } = stage;
  const file = await carriersFile(t, [smppEntry(smsc, { window: WINDOW })]);
  await startKitOn(t, kit.connection, { LONGWAVE_CARRIERS: file });
  const to = phones(700);
  const { id } = await sendLiveBatch(stage, to);
  let both = 0;
  for (let expiries = 0; expiries < 3; expiries += 1) {
    const takenBefore = smsc.journal.taken().length;
    await until(() => smsc.journal.taken().length > takenBefore + 20);
    // Expires the lease unnoticed: the other process takes it, and the owner still trusts its own.
    await until(async () => {
      await kit.rows(
        "update carrier_binds set lease_until = statement_timestamp() - interval '1 second'",
      );
      return smsc.connections("us").length === 2;
    });
    both += 1;
    await until(() => smsc.connections("us").length === 1);
  }
  assert.equal(both, 3);
  // Messages with a window slot on the lost bind were not submitted; they are retried when due.
  await until(async () => {
    await kit.advance(RETRY_SECONDS);
    return (await readBatch(kit, id)).status === "complete";
  }, 30_000);
  assertOnce(stage, WINDOW);
  assert.equal(smsc.journal.taken().length, to.length);
  const [row] = await kit.rows("select lease_epoch from carrier_binds");
  assert.ok(Number(row.lease_epoch) >= 4, "each owner has an epoch of its own");
});
