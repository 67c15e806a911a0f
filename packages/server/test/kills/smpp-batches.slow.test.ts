import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("a kill of the worker and 2 connection resets during a batch over SMPP: no duplicate, none lost", async (t) => {
  await batchUnderKills(t, {
    recipients: 500,
    kills: { worker: 1, connection: 2 },
    seed: 3,
    isSmpp: true,
  });
});
