import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContactFilter, parseFilter } from "@longwave/contract/tables";
import {
  conditionsIn,
  depthOf,
  filterOf,
  isGroup,
  nodeAt,
  treeOf,
  withNode,
} from "./filter-tree.ts";

const FILTER: ContactFilter = {
  all: [
    { field: "tag", op: "is", value: "vip" },
    {
      any: [
        { field: "area_code", op: "is", value: "415" },
        { field: "opted_out", op: "is", value: false },
      ],
    },
    { not: { all: [{ field: "attributes.plan", op: "exists", value: true }] } },
  ],
};

test("parsing and serializing a filter changes nothing", () => {
  const tree = treeOf(FILTER);
  assert.deepEqual(filterOf(tree), FILTER);
  assert.equal(conditionsIn(tree), 4);
  assert.equal(depthOf(tree), 3);
});

test("a single condition becomes a group of one, a negated one a negated group", () => {
  const leaf: ContactFilter = { field: "name", op: "contains", value: "ada" };
  assert.deepEqual(filterOf(treeOf(leaf)), { all: [leaf] });
  assert.deepEqual(filterOf(treeOf({ not: leaf })), { not: { all: [leaf] } });
});

test("the node of a server error is found by its path", () => {
  const tree = treeOf(FILTER);
  const inner = tree.nodes[1];
  assert.ok(inner && isGroup(inner));
  assert.equal(nodeAt(tree, "filter.all[1].any[0].value"), inner.nodes[0]?.id);
  assert.equal(nodeAt(tree, "filter.all[0].op"), tree.nodes[0]?.id);
  assert.equal(nodeAt(tree, "filter"), tree.id);
  assert.equal(nodeAt(tree, "name"), null);
  const broken = withNode(tree, inner.nodes[0]?.id ?? 0, (node) => ({ ...node, value: "" }));
  const parsed = parseFilter(filterOf(broken));
  assert.ok(!parsed.ok);
  assert.equal(nodeAt(broken, parsed.param), inner.nodes[0]?.id);
});

test("a node is removed at any depth", () => {
  const tree = treeOf(FILTER);
  const [first] = tree.nodes;
  assert.equal(conditionsIn(withNode(tree, first?.id ?? 0, () => null)), 3);
});
