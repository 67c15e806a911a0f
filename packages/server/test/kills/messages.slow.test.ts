import test from "node:test";
import { killUnderLoad } from "./kill-under-load.ts";

test("4 kills under load lose no acknowledged message and send none twice", async (t) => {
  await killUnderLoad(t, 4);
});
