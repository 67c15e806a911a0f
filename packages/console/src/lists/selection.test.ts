import assert from "node:assert/strict";
import { test } from "node:test";
import { actOnEach, namesOf, SELECTED_MAX, withRange } from "./selection.ts";

const idOf = (row: { readonly id: number }) => String(row.id);
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

test("a range stops at the limit, and leaves out rows that are not loaded", () => {
  const before = withRange(new Map(), rows(SELECTED_MAX - 1), idOf);
  const more = [{ id: 0 }, undefined, { id: 1_000 }, { id: 1_001 }];
  const after = withRange(before, more, idOf);
  assert.equal(after.size, SELECTED_MAX);
  assert.deepEqual([after.has("1000"), after.has("1001")], [true, false]);
});

test("a question names three rows and counts the others", () => {
  assert.equal(namesOf(["Ada"]), "Ada");
  assert.equal(namesOf(["Ada", "Grace"]), "Ada and Grace");
  assert.equal(namesOf(["Ada", "Grace", "Mary"]), "Ada, Grace and Mary");
  assert.equal(namesOf(["Ada", "Grace", "Mary", "Joan"]), "Ada, Grace, Mary and 1 other");
  assert.equal(namesOf(["Ada", "Grace", "Mary", "Joan", "Rose"]), "Ada, Grace, Mary and 2 others");
});

test("an action that fails for one row continues with the others", async () => {
  const acted: number[] = [];
  const outcome = await actOnEach([1, 2, 3, 4, 5, 6], async (row) => {
    if (row === 2) throw new Error("It was sent meanwhile.");
    acted.push(row);
  });
  assert.deepEqual(
    acted.toSorted((a, b) => a - b),
    [1, 3, 4, 5, 6],
  );
  assert.equal(outcome.done, 5);
  assert.deepEqual(
    outcome.errors.map((error) => (error as Error).message),
    ["It was sent meanwhile."],
  );
});
