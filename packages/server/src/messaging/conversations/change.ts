import { type CONVERSATION_CHANGES, Problem, type RouteInput } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { append } from "../../events/log/index.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type ConversationRow, statusOf } from "./conversation-row.ts";
import type { ConversationsDeps } from "./deps.ts";
import { conversationOf } from "./find.ts";
import { lockAccount, updateConversation } from "./sql.ts";

type Body = RouteInput<"conversations.update">["body"];
type Part = (typeof CONVERSATION_CHANGES)[number];

/** The conversation of a path, under the account's lock until the transaction ends. */
export async function lockConversation(
  tx: Tx,
  caller: ModedCaller,
  person: string,
): Promise<ConversationRow> {
  await tx.query(lockAccount, [caller.account.shard, caller.account.id]);
  return conversationOf(tx, caller, person);
}

/** PATCH /conversations/{phone}. Emits one event if anything changed. */
export async function changeConversation(
  deps: ConversationsDeps,
  tx: Tx,
  caller: ModedCaller,
  person: string,
  body: Body,
): Promise<ConversationRow> {
  const row = await lockConversation(tx, caller, person);
  const changed = await changedRow(deps, tx, caller, row, body);
  const { account, mode } = caller;
  await tx.query(updateConversation, [
    account.shard,
    account.id,
    mode,
    row.phone_number,
    changed.unread,
    changed.awaiting_id,
    changed.assignee_id,
    changed.closed_at === null ? null : new Date(changed.closed_at),
  ]);
  const parts = changedParts(row, changed);
  if (parts.length > 0) await emitUpdated(deps, tx, caller, changed, parts);
  return changed;
}

async function changedRow(
  deps: ConversationsDeps,
  tx: Tx,
  { account }: ModedCaller,
  row: ConversationRow,
  { status, assignee, read }: Body,
): Promise<ConversationRow> {
  const isClosed = status === undefined ? row.closed_at !== null : status === "closed";
  const isRead = read ?? status === "closed";
  const closedAt = isClosed ? (row.closed_at ?? deps.clock.now()) : null;
  const unread = isRead ? 0 : read === false ? Math.max(1, row.unread) : row.unread;
  // A reply since then ends the waiting for good, so that later lists need not look for it.
  const needsReply = row.needs_reply && !isClosed;
  return {
    ...row,
    closed_at: closedAt,
    unread,
    needs_reply: needsReply,
    awaiting_id: needsReply ? row.awaiting_id : null,
    assignee_id:
      assignee === undefined ? row.assignee_id : await memberIn(deps, tx, account.id, assignee),
  };
}

async function memberIn(
  deps: ConversationsDeps,
  tx: Tx,
  accountId: string,
  assignee: string | null,
): Promise<string | null> {
  if (assignee === null) return null;
  const id = fromApiId("user", assignee);
  const members = id === null ? new Map() : await deps.memberNames(tx, accountId, [id]);
  if (id !== null && members.has(id)) return id;
  throw new Problem("invalid_request", "assignee must be the id of a member of this account.", {
    param: "assignee",
  });
}

function changedParts(before: ConversationRow, after: ConversationRow): Part[] {
  const parts: Part[] = [];
  if (statusOf(before) !== statusOf(after)) parts.push("status");
  if (before.assignee_id !== after.assignee_id) parts.push("assignee");
  if (before.unread !== after.unread) parts.push("read");
  if (before.awaiting_id !== null && after.awaiting_id === null) parts.push("reply");
  return parts;
}

export async function emitUpdated(
  deps: Base,
  tx: Tx,
  { account, mode }: ModedCaller,
  row: ConversationRow,
  changed: readonly Part[],
): Promise<void> {
  const data = {
    phone_number: row.phone_number,
    mode,
    status: statusOf(row),
    assignee_id: row.assignee_id === null ? null : toApiId("user", row.assignee_id),
    unread: row.unread,
    changed,
  };
  const owner = { shard: account.shard, accountId: account.id };
  await append(deps, tx, owner, [{ type: "conversation.updated", mode, data }]);
}
