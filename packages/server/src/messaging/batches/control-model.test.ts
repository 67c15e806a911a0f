import { test } from "node:test";
import { checkControl } from "../../../testing/batch-model.ts";

test("pause, resume, cancel and retry at any moment keep to the table and the counts", async (t) => {
  // The slow tier runs twelve.
  await checkControl(t, 4);
});
