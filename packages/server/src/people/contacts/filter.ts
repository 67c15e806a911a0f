import {
  type FilterNode,
  type FilterOptions,
  matchesFilter,
  Problem,
  parseFilter,
} from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { optedOutAmong } from "../consent/index.ts";
import { findTopicIds, subscribedTopics } from "../topics/index.ts";
import type { ContactRow } from "./contact-row.ts";

/**
 * Parses and validates the filter of a request body: 400 with the path of the fault, such as
 * `filter.all[2].op`. Topics must belong to the account.
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

/** The path of a topic in a filter. */
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

/**
 * Whether a filter matches one contact; `properties` are those of the event that triggered an
 * automation. Consent and subscriptions are read only if the filter needs them.
 */
export async function contactMatches(
  db: Queryable,
  account: ModedAccount,
  contact: ContactRow,
  filter: FilterNode,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const lookups = lookupsOf(filter);
  const topics = [...lookups.topicIds].flatMap((apiId) => fromApiId("topic", apiId) ?? []);
  const phone = contact.phone_number;
  const subscribed =
    topics.length === 0 ? new Set<string>() : await subscribedTopics(db, account, topics, phone);
  const optedOut = lookups.optedOut
    ? await optedOutAmong(db, account, [phone], null)
    : new Set<string>();
  return matchesFilter(filter, {
    phone_number: phone,
    name: contact.name,
    email: contact.email,
    company: contact.company,
    tags: contact.tags,
    attributes: contact.attributes ?? {},
    createdAtMs: contact.created_at,
    updatedAtMs: contact.updated_at,
    optedOut: optedOut.has(phone),
    topicIds: new Set([...subscribed].map((id) => toApiId("topic", id))),
    properties,
  });
}

function lookupsOf(node: FilterNode, lookups = { optedOut: false, topicIds: new Set<string>() }) {
  if ("all" in node) for (const part of node.all) lookupsOf(part, lookups);
  else if ("any" in node) for (const part of node.any) lookupsOf(part, lookups);
  else if ("not" in node) lookupsOf(node.not, lookups);
  else if (node.leaf.field === "opted_out") lookups.optedOut = true;
  else if (node.leaf.field === "topic") lookups.topicIds.add(node.leaf.topicId);
  return lookups;
}
