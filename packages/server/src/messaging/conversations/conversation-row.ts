import { type Conversation, formatTimestamp, type Mode } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { toApiId, uuidTime } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { readContactNames } from "../../people/contacts/index.ts";
import { newestMessages } from "../messages/index.ts";
import type { ConversationsDeps } from "./deps.ts";

export interface ConversationRow {
  readonly phone_number: string;
  readonly mode: Mode;
  readonly last_received_id: string;
  readonly last_number: string;
  readonly numbers: readonly string[];
  readonly received: number;
  readonly unread: number;
  readonly awaiting_id: string | null;
  readonly assignee_id: string | null;
  readonly created_at: number;
  readonly closed_at: number | null;
  readonly needs_reply: boolean;
}

/** Conversations in API form, with contact, assignee and newest message. */
export async function presentConversations(
  { memberNames }: Pick<ConversationsDeps, "memberNames">,
  db: Queryable,
  { account, mode }: ModedCaller,
  rows: readonly ConversationRow[],
): Promise<Conversation[]> {
  if (rows.length === 0) return [];
  const phones = rows.map((row) => row.phone_number);
  const assignees = rows.flatMap((row) => row.assignee_id ?? []);
  const received = rows.map((row) => ({
    phone: row.phone_number,
    messageId: row.last_received_id,
  }));
  const [contacts, messages, members] = await Promise.all([
    readContactNames(db, account, phones),
    newestMessages(db, account, mode, received),
    memberNames(db, account.id, assignees),
  ]);
  const contactOf = new Map(contacts.map((each) => [each.phone_number, each]));
  const newestOf = new Map(messages.map((each) => [each.phone_number, each]));
  return rows.map((row) => {
    const contact = contactOf.get(row.phone_number);
    const newest = newestOf.get(row.phone_number);
    return {
      object: "conversation",
      phone_number: row.phone_number,
      mode: row.mode,
      status: statusOf(row),
      contact: contact ? { id: toApiId("contact", contact.id), name: contact.name } : null,
      numbers: [...row.numbers],
      number: row.last_number,
      unread: row.unread,
      needs_reply: row.needs_reply,
      assignee:
        row.assignee_id === null
          ? null
          : { id: toApiId("user", row.assignee_id), name: members.get(row.assignee_id) ?? null },
      last_message: newest
        ? {
            id: toApiId("message", newest.id),
            direction: newest.direction,
            status: newest.status,
            body: newest.body,
            created_at: formatTimestamp(newest.created_at),
          }
        : null,
      received: row.received,
      last_received_at: formatTimestamp(uuidTime(row.last_received_id)),
      created_at: formatTimestamp(row.created_at),
      closed_at: row.closed_at === null ? null : formatTimestamp(row.closed_at),
    };
  });
}

export function statusOf(row: Pick<ConversationRow, "closed_at">): Conversation["status"] {
  return row.closed_at === null ? "open" : "closed";
}
