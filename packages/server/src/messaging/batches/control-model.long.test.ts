import { test } from "node:test";
import { checkControl } from "../../../testing/batch-model.ts";

test("150 histories of pause, resume, cancel and retry keep to the table and the counts", async (t) => {
  await checkControl(t, 150);
});
