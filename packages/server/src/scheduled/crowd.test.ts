import assert from "node:assert/strict";
import { test } from "node:test";
import { checkScheduledCrowd } from "../../testing/scheduled-crowd.ts";

const CROWD = 1_500;

test("1,500 texts for one second leave in order, and a single text does not wait for half of them", async (t) => {
  const { overtakenBy } = await checkScheduledCrowd(t, CROWD);
  assert.ok(overtakenBy < CROWD / 2, `a single text was overtaken by ${overtakenBy}`);
});
