import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("50 kills while receipts come in: none of 5,000 is lost, each text ends once and right", async (t) => {
  await batchUnderKills(t, { recipients: 5_000, kills: { worker: 50 }, seed: 8, isSmpp: true });
});
