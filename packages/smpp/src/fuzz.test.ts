import assert from "node:assert/strict";
import test from "node:test";
import { fuzz } from "../testing/fuzz.ts";

const SEED = 20_261_116;

test("broken PDUs are decoded, refused or kept as octets, and never throw", () => {
  const { readable, lost } = fuzz(SEED, 20_000);
  assert.ok(lost > 0, "some lengths were impossible");
  assert.ok(readable > 0);
});
