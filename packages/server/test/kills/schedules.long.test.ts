import test from "node:test";
import { schedulesUnderKills } from "./schedules-under-kills.ts";

test("10 kills while 300 schedules send every minute: no occurrence twice, none lost", async (t) => {
  await schedulesUnderKills(t, { schedules: 300, kills: 10 });
});
