import test from "node:test";
import { stormOfKeys } from "./idempotency-storm.ts";

test("20 keys, 20 identical requests each, over two processes and a kill: each key acts once", async (t) => {
  await stormOfKeys(t, 20, 20);
});
