import { test } from "node:test";
import { checkResets } from "../../../testing/batch-resets.ts";

test("a link that breaks 20 times under a batch of 10,000: nobody twice, nobody lost", async (t) => {
  await checkResets(t, { recipients: 10_000, resets: 20, seed: 20_261_115 });
});
