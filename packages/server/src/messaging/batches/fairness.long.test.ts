import { test } from "node:test";
import { makeBatch, phones, untilBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { assertWithinASecond, sendMeanwhile } from "../../../testing/latency-under-load.ts";

for (const pace of ["1000", "0"]) {
  test(`a single message leaves within a second beside a batch of 10,000 at pace ${pace}`, async (t) => {
    const kit = await startKit(t, { LONGWAVE_BATCH_PACE: pace });
    await giveNumber(kit);
    const met = await sendMeanwhile(kit, async () => {
      const { id } = await makeBatch(kit, phones(10_000));
      await untilBatch(kit, id, "complete", 60_000);
    });
    assertWithinASecond(met);
    t.diagnostic(`${met.sends} texts, the slowest in ${met.slowestMs.toFixed(0)} ms`);
  });
}
