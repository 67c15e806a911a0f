import test from "node:test";
import { batchUnderKills } from "./batch-under-kills.ts";

test("50 kills while receipts arrive: none of 5,000 is lost, each message ends once and correctly", async (t) => {
  await batchUnderKills(t, { recipients: 5_000, kills: { worker: 50 }, seed: 8, isSmpp: true });
});
