import { test } from "node:test";
import { assertNotHeldUp } from "../../testing/crowd.ts";
import { checkScheduledCrowd } from "../../testing/scheduled-crowd.ts";

const CROWD = 1_500;

test("1,500 texts for one second leave in order, and hold no single text up", async (t) => {
  assertNotHeldUp(await checkScheduledCrowd(t, CROWD), CROWD);
});
