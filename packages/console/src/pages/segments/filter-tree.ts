import {
  ATTRIBUTE_FIELD_PREFIX,
  type ContactFilter,
  FILTER_FIELDS,
  type FilterOp,
  PROPERTY_FIELD_PREFIX,
} from "@longwave/contract/tables";
import { jitter } from "../../clock.ts";

/**
 * A filter as it is edited: groups and conditions, each with an id of its own, so that a row keeps
 * its place on the screen while the rows before it come and go.
 */
export interface FilterGroup {
  readonly id: number;
  readonly join: "all" | "any";
  readonly isNot: boolean;
  readonly nodes: readonly FilterTree[];
}

export interface FilterCondition {
  readonly id: number;
  /** A field of the table, or `attributes` or `properties`, which have a key besides. */
  readonly field: string;
  readonly key: string;
  readonly op: FilterOp;
  readonly value: string;
}

export type FilterTree = FilterGroup | FilterCondition;

const KEYED_FIELDS = {
  attributes: ATTRIBUTE_FIELD_PREFIX,
  properties: PROPERTY_FIELD_PREFIX,
};

/** By chance and not by counting: a form that was kept brings its ids along. */
function nextId(): number {
  return Math.floor(jitter() * 2 ** 32);
}

export function isGroup(node: FilterTree): node is FilterGroup {
  return "nodes" in node;
}

export function emptyGroup(join: "all" | "any" = "all"): FilterGroup {
  return { id: nextId(), join, isNot: false, nodes: [] };
}

export function newCondition(): FilterCondition {
  return { id: nextId(), field: "tag", key: "", op: "is", value: "" };
}

/** The operators of a field; keyed fields are text. */
export function opsOf(field: string): readonly FilterOp[] {
  const known = FILTER_FIELDS as Readonly<Record<string, { ops: readonly FilterOp[] }>>;
  return known[field]?.ops ?? FILTER_FIELDS.name.ops;
}

export function kindOf(field: string): string {
  const known = FILTER_FIELDS as Readonly<Record<string, { kind: string }>>;
  return known[field]?.kind ?? "text";
}

/** The filter as a tree to edit: whatever stands at the top, the tree begins with a group. */
export function treeOf(filter: ContactFilter | Readonly<Record<string, unknown>>): FilterGroup {
  const node = nodeOf(filter as ContactFilter);
  return isGroup(node) ? node : { ...emptyGroup(), nodes: [node] };
}

function nodeOf(filter: ContactFilter): FilterTree {
  if ("not" in filter) {
    const inner = nodeOf(filter.not);
    if (isGroup(inner) && !inner.isNot) return { ...inner, isNot: true };
    return { ...emptyGroup(), isNot: true, nodes: [inner] };
  }
  if ("all" in filter) return { ...emptyGroup("all"), nodes: filter.all.map(nodeOf) };
  if ("any" in filter) return { ...emptyGroup("any"), nodes: filter.any.map(nodeOf) };
  const keyed = Object.entries(KEYED_FIELDS).find(([, prefix]) => filter.field.startsWith(prefix));
  return {
    id: nextId(),
    field: keyed ? keyed[0] : filter.field,
    key: keyed ? filter.field.slice(keyed[1].length) : "",
    op: filter.op,
    value: String(filter.value),
  };
}

/** The tree as the API takes it. */
export function filterOf(node: FilterTree): ContactFilter {
  if (!isGroup(node)) {
    const prefix = KEYED_FIELDS[node.field as keyof typeof KEYED_FIELDS];
    const field = prefix === undefined ? node.field : prefix + node.key;
    return { field, op: node.op, value: comparedValue(node) };
  }
  const nodes = node.nodes.map(filterOf);
  const group: ContactFilter = node.join === "all" ? { all: nodes } : { any: nodes };
  return node.isNot ? { not: group } : group;
}

function comparedValue({ field, op, value }: FilterCondition): string | boolean {
  const isYesNo = op === "exists" || kindOf(field) === "boolean";
  return isYesNo ? value !== "false" : value;
}

/** Which row a complaint of the server is about: `filter.all[2].op` is the third condition's. */
export function nodeAt(tree: FilterGroup, param: string, root = "filter"): number | null {
  if (!param.startsWith(root)) return null;
  let at: FilterTree = tree;
  for (const [, index] of param.slice(root.length).matchAll(/\.(?:all|any)\[(\d+)\]/g)) {
    const inner: FilterTree | undefined = isGroup(at) ? at.nodes[Number(index)] : undefined;
    if (!inner) break;
    at = inner;
  }
  return at.id;
}

/** The tree with one node replaced, or (by null) taken out. */
export function withNode(
  tree: FilterGroup,
  id: number,
  change: (node: FilterTree) => FilterTree | null,
): FilterGroup {
  if (tree.id === id) return (change(tree) as FilterGroup | null) ?? tree;
  const nodes = tree.nodes.flatMap((node) => {
    if (node.id === id) return change(node) ?? [];
    return [isGroup(node) ? withNode(node, id, change) : node];
  });
  return { ...tree, nodes };
}

export function conditionsIn(node: FilterTree): number {
  return isGroup(node) ? node.nodes.reduce((sum, inner) => sum + conditionsIn(inner), 0) : 1;
}

/** How deep groups stand in one another, a negation counting as one. */
export function depthOf(node: FilterTree): number {
  if (!isGroup(node)) return 0;
  return (node.isNot ? 2 : 1) + Math.max(0, ...node.nodes.map(depthOf));
}
