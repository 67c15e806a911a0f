import test from "node:test";
import { runsUnderKills } from "./runs-under-kills.ts";

test("20 kills while 3,000 people run through an automation: no step twice, none forgotten", async (t) => {
  await runsUnderKills(t, { contacts: 3_000, kills: 20 });
});
