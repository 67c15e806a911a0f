import { test } from "node:test";
import { checkResets } from "../../../testing/batch-resets.ts";

test("a link that breaks 3 times under a batch of 300: nobody twice, nobody lost", async (t) => {
  await checkResets(t, { recipients: 300, resets: 3, seed: 1 });
});
