import { normalizePhone, Problem } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import type { ConversationRow } from "./conversation-row.ts";
import { findConversation } from "./sql.ts";

const SHOWN_CHARS_MAX = 40;

/** Conversation that a path names by its person, or 404. The person may be a short code or a name. */
export async function conversationOf(
  db: Queryable,
  { account, mode }: ModedCaller,
  person: string,
): Promise<ConversationRow> {
  const phone = normalizePhone(person) ?? person;
  const values = [account.shard, account.id, mode, phone];
  const [row] = await db.query<ConversationRow>(findConversation, values);
  if (row) return row;
  throw new Problem(
    "not_found",
    `There is no conversation with ${person.slice(0, SHOWN_CHARS_MAX)}. It begins when they write.`,
  );
}
