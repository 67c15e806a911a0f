import test from "node:test";
import { runsUnderKills } from "./runs-under-kills.ts";

test("3 kills while 300 people run through an automation: no step twice, none forgotten", async (t) => {
  await runsUnderKills(t, { contacts: 300, kills: 3 });
});
