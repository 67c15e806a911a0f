import type { FilterLeaf, FilterNode } from "@longwave/contract";
import { type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { hasOptedOut } from "../consent/index.ts";
import { isSubscribed } from "../topics/index.ts";

const PHONE = raw("c.phone_number");
const ATTRIBUTES = raw("coalesce(c.folded_attributes, c.attributes)");

/**
 * A filter as a condition on contacts `c`. Every value is a parameter. Conditions are never null, so
 * that `not` inverts them.
 */
export function filterCondition(account: ModedAccount, node: FilterNode): Fragment {
  if ("not" in node) return sql`not (${filterCondition(account, node.not)})`;
  if ("leaf" in node) return leafCondition(account, node.leaf);
  const parts = "all" in node ? node.all : node.any;
  if (parts.length === 0) return raw("all" in node ? "true" : "false");
  const conditions = parts.map((part) => filterCondition(account, part));
  return sql`(${join(conditions, "all" in node ? " and " : " or ")})`;
}

function leafCondition(account: ModedAccount, leaf: FilterLeaf): Fragment {
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
      throw new Error("A filter of contacts has a condition on event properties.");
    default:
      return textCondition(foldedText(leaf.field), leaf.op, leaf.value);
  }
}

function topicCondition(
  account: ModedAccount,
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

/** Field of contact `c` in lower case; its `folded_` column is null if the field already is. */
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

/** Condition: contact `c` has one of these lower-case tags. */
export function hasOneOfTags(tags: readonly string[]): Fragment {
  if (tags.length === 0) return raw("false");
  const each = tags.map((tag) => hasTagPart(tag, "is"));
  return sql`(${join(each, " or ")})`;
}

function hasTagPart(part: string, op: "is" | "contains" | "starts_with"): Fragment {
  // Tags have no line breaks; a search string with one would match two adjacent tags.
  if (part.includes("\n")) return raw("false");
  const before = op === "contains" ? "" : "\n";
  const after = op === "is" ? "\n" : "";
  return sql`strpos(c.tag_lines, ${before + part + after}) > 0`;
}
