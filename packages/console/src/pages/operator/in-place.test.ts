import assert from "node:assert/strict";
import { test } from "node:test";
import { inPlace } from "./in-place.ts";

const of = (...ids: string[]) => ids.map((id) => ({ id }));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join("");

test("a decided request keeps its place, and new ones come last", () => {
  assert.equal(idsOf(inPlace([], of("a", "b"), [])), "ab");
  assert.equal(idsOf(inPlace(of("a", "b"), of("b"), of("a"))), "ab");
  assert.equal(idsOf(inPlace(of("b", "c"), of("a", "b", "c"), [])), "bca");
  assert.equal(idsOf(inPlace(of("a", "b"), of("b"), [])), "b");
});
