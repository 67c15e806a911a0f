import type { FILTER_FIELDS, FilterOp } from "@longwave/contract/tables";
import { plural } from "../../ui/format.ts";
import {
  conditionsIn,
  type FilterCondition,
  type FilterTree,
  isGroup,
  kindOf,
} from "./filter-tree.ts";

export const FIELD_WORDS: Readonly<Record<keyof typeof FILTER_FIELDS, string>> = {
  tag: "Tag",
  name: "Name",
  email: "Email",
  company: "Company",
  phone_number: "Phone",
  area_code: "Area code",
  created_at: "Added",
  updated_at: "Changed",
  opted_out: "Opted out",
  topic: "Topic",
};

export const OP_WORDS: Readonly<Record<FilterOp, string>> = {
  is: "is",
  is_not: "is not",
  contains: "contains",
  starts_with: "starts with",
  before: "before",
  after: "after",
  exists: "is known",
};

/** Maximum number of conditions that a line of a list spells out. */
const SPELLED_OUT_MAX = 2;

/** A filter in one line: its conditions while they are few, else their number. */
export function filterWords(filter: FilterTree): string {
  const count = conditionsIn(filter);
  return count > SPELLED_OUT_MAX ? plural(count, "condition") : wordsOf(filter);
}

function wordsOf(node: FilterTree): string {
  if (!isGroup(node)) return conditionWords(node);
  const words = node.nodes.map(wordsOf).join(node.join === "all" ? " and " : " or ");
  return node.isNot ? `not: ${words}` : words;
}

function conditionWords(condition: FilterCondition): string {
  const { field, key, op, value } = condition;
  const isNo = value === "false" || op === "is_not";
  if (field === "opted_out") return isNo ? "not opted out" : "opted out";
  if (field === "topic") return isNo ? "not subscribed to a topic" : "subscribed to a topic";
  const name = key || (FIELD_WORDS[field as keyof typeof FIELD_WORDS] ?? field).toLowerCase();
  if (op === "exists") return `${name} is ${isNo ? "not known" : "known"}`;
  const compared = kindOf(field) === "time" ? value.slice(0, "2026-01-01".length) : value;
  return `${name} ${OP_WORDS[op]} ${compared}`;
}
