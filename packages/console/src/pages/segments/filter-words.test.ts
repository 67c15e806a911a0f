import assert from "node:assert/strict";
import { test } from "node:test";
import { treeOf } from "./filter-tree.ts";
import { filterWords } from "./filter-words.ts";

const words = (filter: Parameters<typeof treeOf>[0]) => filterWords(treeOf(filter));

test("few conditions are spelled out", () => {
  assert.equal(words({ field: "tag", op: "is", value: "vip" }), "tag is vip");
  assert.equal(
    words({
      any: [
        { field: "attributes.plan", op: "is_not", value: "free" },
        { field: "created_at", op: "after", value: "2026-03-01T00:00:00Z" },
      ],
    }),
    "plan is not free or added after 2026-03-01",
  );
  assert.equal(words({ field: "email", op: "exists", value: false }), "email is not known");
  assert.equal(words({ not: { field: "opted_out", op: "is", value: true } }), "not: opted out");
  assert.equal(
    words({ field: "topic", op: "is_not", value: "top_1" }),
    "not subscribed to a topic",
  );
});

test("many conditions are counted", () => {
  const leaf = { field: "tag", op: "is", value: "vip" } as const;
  assert.equal(words({ all: [leaf, leaf, leaf] }), "3 conditions");
});
