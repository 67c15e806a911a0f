import { type FilterNode, matchesFilter } from "@longwave/contract";
import { optedOutAmong } from "../consent/index.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import { subscribedTopics } from "../topics/index.ts";
import type { ContactRow } from "./contact-row.ts";

/**
 * Whether a filter chooses this one contact, with what an automation was triggered with. Consent
 * and subscriptions are read only where the filter asks for them.
 */
export async function contactMatches(
  db: Queryable,
  account: AccountRef,
  contact: ContactRow,
  filter: FilterNode,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const asked = askedFor(filter);
  const topics = [...asked.topicIds].flatMap((apiId) => fromApiId("topic", apiId) ?? []);
  const phone = contact.phone_number;
  const subscribed =
    topics.length === 0 ? new Set<string>() : await subscribedTopics(db, account, topics, phone);
  const optedOut = asked.optedOut
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

function askedFor(node: FilterNode, asked = { optedOut: false, topicIds: new Set<string>() }) {
  if ("all" in node) for (const part of node.all) askedFor(part, asked);
  else if ("any" in node) for (const part of node.any) askedFor(part, asked);
  else if ("not" in node) askedFor(node.not, asked);
  else if (node.leaf.field === "opted_out") asked.optedOut = true;
  else if (node.leaf.field === "topic") asked.topicIds.add(node.leaf.topicId);
  return asked;
}
