import { type FilterNode, type FilterOptions, Problem, parseFilter } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import { findTopicIds } from "../topics/index.ts";

/**
 * A filter that a body brings, read and checked: 400 with the path of what is wrong in it, such as
 * `filter.all[2].op`. The topics that it names are the account's own.
 */
export async function readFilter(
  db: Queryable,
  account: AccountRef,
  input: unknown,
  options: FilterOptions = {},
): Promise<FilterNode> {
  const parsed = parseFilter(input, options);
  if (!parsed.ok) throw new Problem("invalid_request", parsed.reason, { param: parsed.param });
  if (parsed.topicIds.length === 0) return parsed.filter;
  const ids = parsed.topicIds.flatMap((apiId) => fromApiId("topic", apiId) ?? []);
  const rows = await db.query<{ id: string }>(findTopicIds, [account.shard, account.id, ids]);
  const known = new Set(rows.map((row) => toApiId("topic", row.id)));
  const unknown = parsed.topicIds.find((apiId) => !known.has(apiId));
  if (unknown === undefined) return parsed.filter;
  const param = topicPath(parsed.filter, unknown, options.param ?? "filter") ?? "filter";
  throw new Problem("invalid_request", `${param}: there is no topic ${unknown.slice(0, 64)}.`, {
    param,
  });
}

/** Where a filter names a topic. */
function topicPath(node: FilterNode, topicId: string, path: string): string | null {
  if ("not" in node) return topicPath(node.not, topicId, `${path}.not`);
  if ("leaf" in node) {
    return node.leaf.field === "topic" && node.leaf.topicId === topicId ? `${path}.value` : null;
  }
  const [group, parts] =
    "all" in node ? (["all", node.all] as const) : (["any", node.any] as const);
  for (const [index, part] of parts.entries()) {
    const found = topicPath(part, topicId, `${path}.${group}[${index}]`);
    if (found !== null) return found;
  }
  return null;
}
