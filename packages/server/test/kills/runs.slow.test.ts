import test from "node:test";
import { runsUnderKills } from "./runs-under-kills.ts";

test("3 kills during 300 automation runs: no step twice, none lost", async (t) => {
  await runsUnderKills(t, { contacts: 300, kills: 3 });
});
