import type { FilterLeaf, FilterNode } from "@longwave/contract";
import { hasOptedOut } from "../consent/index.ts";
import type { AccountRef } from "../db/account-cache.ts";
import { type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import { fromApiId } from "../platform/ids.ts";
import { isSubscribed } from "../topics/index.ts";
import { hasTagPart } from "./tag-lines.ts";

const PHONE = raw("c.phone_number");
const ATTRIBUTES = raw("coalesce(c.folded_attributes, c.attributes)");

/**
 * A filter as a condition on contacts `c`. Every value is a parameter; what is text here is written
 * here. A condition is true or false and never null, so that `not` turns it around.
 */
export function filterCondition(account: AccountRef, node: FilterNode): Fragment {
  if ("not" in node) return sql`not (${filterCondition(account, node.not)})`;
  if ("leaf" in node) return leafCondition(account, node.leaf);
  const parts = "all" in node ? node.all : node.any;
  if (parts.length === 0) return raw("all" in node ? "true" : "false");
  const conditions = parts.map((part) => filterCondition(account, part));
  return sql`(${join(conditions, "all" in node ? " and " : " or ")})`;
}

function leafCondition(account: AccountRef, leaf: FilterLeaf): Fragment {
  switch (leaf.field) {
    case "always":
      return raw(leaf.value ? "true" : "false");
    case "opted_out": {
      const optedOut = hasOptedOut(account, PHONE);
      return leaf.value ? optedOut : sql`not ${optedOut}`;
    }
    case "topic":
      return topicCondition(account, leaf);
    case "created_at":
    case "updated_at": {
      const at = raw(leaf.field === "created_at" ? "c.created_at" : "c.updated_at");
      const value = sql`${new Date(leaf.valueMs)}::timestamptz`;
      return leaf.op === "before" ? sql`${at} < ${value}` : sql`${at} > ${value}`;
    }
    case "tag":
      return tagCondition(leaf);
    case "phone_number":
      return textCondition(PHONE, leaf.op, leaf.value);
    case "area_code":
      return textCondition(raw("substr(c.phone_number, 3, 3)"), leaf.op, leaf.value);
    case "attribute":
      return textCondition(sql`(${ATTRIBUTES} ->> ${leaf.key})`, leaf.op, leaf.value);
    case "property":
      throw new Error("A filter of contacts asks for properties.");
    default:
      return textCondition(foldedText(leaf.field), leaf.op, leaf.value);
  }
}

function topicCondition(
  account: AccountRef,
  leaf: Extract<FilterLeaf, { field: "topic" }>,
): Fragment {
  const topicId = fromApiId("topic", leaf.topicId);
  const subscribed = topicId === null ? raw("false") : isSubscribed(account, topicId, PHONE);
  return leaf.op === "is" ? subscribed : sql`not ${subscribed}`;
}

function textCondition(text: Fragment, op: string, value: string): Fragment {
  const isMissing = sql`coalesce(${text}, '') = ''`;
  switch (op) {
    case "exists":
      return sql`not ${isMissing}`;
    case "is":
      return value === "" ? isMissing : sql`coalesce(${text} = ${value}, false)`;
    case "is_not":
      return sql`${text} is distinct from ${value}`;
    case "contains":
      return sql`coalesce(strpos(${text}, ${value}) > 0, false)`;
    default:
      return sql`coalesce(starts_with(${text}, ${value}), false)`;
  }
}

/** A text of contact `c` in lower case; the column for it is null where it is the same text. */
export function foldedText(field: "name" | "email" | "company"): Fragment {
  return raw(`coalesce(c.folded_${field}, c.${field})`);
}

function tagCondition({ op, value }: Extract<FilterLeaf, { field: "tag" }>): Fragment {
  switch (op) {
    case "exists":
      return raw("c.tag_lines <> ''");
    case "is":
      return value === "" ? raw("c.tag_lines = ''") : hasTagPart(value, op);
    case "is_not":
      return sql`not ${hasTagPart(value, "is")}`;
    default:
      return hasTagPart(value, op);
  }
}
