import test from "node:test";
import { stormOfKeys } from "./idempotency-storm.ts";

test("200 keys, 50 identical requests each, over two processes and a kill: each key acts once", async (t) => {
  await stormOfKeys(t, 200, 50);
});
