import { test } from "node:test";
import { assertWithinASecond } from "../../testing/crowd.ts";
import { checkScheduledCrowd } from "../../testing/scheduled-crowd.ts";

test("10,000 texts for one second leave in order and delay a single text by less than a second", async (t) => {
  assertWithinASecond(await checkScheduledCrowd(t, 10_000));
});
