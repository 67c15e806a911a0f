import { test } from "node:test";
import { assertNotHeldUp } from "../../../testing/latency-under-load.ts";
import { checkScheduledCrowd } from "../../../testing/scheduled-burst.ts";

const CROWD = 1_500;

test("1,500 messages due at one second leave in order and do not delay a single message", async (t) => {
  assertNotHeldUp(await checkScheduledCrowd(t, CROWD), CROWD);
});
