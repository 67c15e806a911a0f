import test from "node:test";
import { schedulesUnderKills } from "./schedules-under-kills.ts";

test("2 kills while 60 schedules send every minute: no occurrence twice, none lost", async (t) => {
  await schedulesUnderKills(t, { schedules: 60, kills: 2 });
});
