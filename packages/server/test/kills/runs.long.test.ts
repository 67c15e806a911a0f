import test from "node:test";
import { runsUnderKills } from "./runs-under-kills.ts";

test("20 kills during 3,000 automation runs: no step twice, none lost", async (t) => {
  await runsUnderKills(t, { contacts: 3_000, kills: 20 });
});
