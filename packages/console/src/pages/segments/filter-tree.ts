import {
  ATTRIBUTE_FIELD_PREFIX,
  type ContactFilter,
  FILTER_FIELDS,
  type FilterOp,
  PROPERTY_FIELD_PREFIX,
} from "@longwave/contract/tables";
import { jitter } from "../../clock.ts";

/**
 * Filter in the editor: groups and conditions with ids, which serve as React keys while rows come
 * and go.
 */
export interface FilterGroup {
  readonly id: number;
  readonly join: "all" | "any";
  readonly isNot: boolean;
  readonly nodes: readonly FilterTree[];
}

export interface FilterCondition {
  readonly id: number;
  /** A field of the table, or `attributes` or `properties`, which take a key. */
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

/** Random instead of counted: a restored draft brings its own ids. */
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

/** Operators of a field; keyed fields are strings. */
export function opsOf(field: string): readonly FilterOp[] {
  const fields = FILTER_FIELDS as Readonly<Record<string, { ops: readonly FilterOp[] }>>;
  return fields[field]?.ops ?? FILTER_FIELDS.name.ops;
}

export function kindOf(field: string): string {
  const fields = FILTER_FIELDS as Readonly<Record<string, { kind: string }>>;
  return fields[field]?.kind ?? "text";
}

/** Parses a filter to a tree whose root is always a group. */
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

/** Serializes the tree for the API. */
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

/** Node of a server error: `filter.all[2].op` is about the third condition. */
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

/** Replaces one node of the tree; null removes it. */
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

/** Nesting depth of groups; a negation counts as one. */
export function depthOf(node: FilterTree): number {
  if (!isGroup(node)) return 0;
  return (node.isNot ? 2 : 1) + Math.max(0, ...node.nodes.map(depthOf));
}
