import { test } from "node:test";
import { assertWithinASecond } from "../../../testing/latency-under-load.ts";
import { checkScheduledCrowd } from "../../../testing/scheduled-burst.ts";

test("10,000 messages due at one second leave in order and delay a single message by less than a second", async (t) => {
  assertWithinASecond(await checkScheduledCrowd(t, 10_000));
});
