import { test } from "node:test";
import { checkScheduledCrowd } from "../../testing/scheduled-crowd.ts";

test("1,500 texts for one second leave in order and delay a single text by less than a second", async (t) => {
  await checkScheduledCrowd(t, 1_500);
});
