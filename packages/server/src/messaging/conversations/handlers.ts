import type { Principal } from "../../account/accounts/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { changeConversation } from "./change.ts";
import { type ConversationRow, presentConversations } from "./conversation-row.ts";
import type { ConversationsDeps } from "./deps.ts";
import { conversationOf } from "./find.ts";
import { listConversations } from "./list.ts";
import { addNote, listNotes, removeNote } from "./notes.ts";
import { summarize } from "./sql.ts";

type Names =
  | "conversations.list"
  | "conversations.summary"
  | "conversations.get"
  | "conversations.update"
  | "conversations.notes"
  | "conversations.addNote"
  | "conversations.deleteNote";

/** Pending conversations that a summary looks at: counting all of them could take long. */
const SUMMARY_ROWS_MAX = 500;

interface Summary {
  readonly pending: number;
  readonly unread: number;
  readonly needs_reply: number;
}

export const conversationHandlers: HandlersOf<Names, ConversationsDeps> = {
  "conversations.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listConversations(deps, caller, query),
  }),

  "conversations.summary": async ({ deps, caller: { account, mode } }) => {
    const values = [account.shard, account.id, mode, SUMMARY_ROWS_MAX];
    const [row] = await deps.db.query<Summary>(summarize, values);
    const { pending, unread, needs_reply } = expect(row, "a count answered no row");
    const has_more = pending === SUMMARY_ROWS_MAX;
    return { status: 200, body: { object: "conversation_summary", unread, needs_reply, has_more } };
  },

  "conversations.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: await presentOne(
      deps,
      deps.db,
      caller,
      await conversationOf(deps.db, caller, params.phone),
    ),
  }),

  "conversations.update": async ({ deps, caller, transact }, { params, body }) =>
    transact(async (tx) => {
      const row = await changeConversation(deps, tx, caller, params.phone, body);
      return { status: 200, body: await presentOne(deps, tx, caller, row) };
    }),

  "conversations.notes": async ({ deps, caller }, { params, query }) => ({
    status: 200,
    body: await listNotes(deps, caller, params.phone, query),
  }),

  "conversations.addNote": async ({ deps, caller, transact }, { params, body }) =>
    transact(async (tx) => ({
      status: 201,
      body: await addNote(deps, tx, caller, params.phone, body.body),
    })),

  "conversations.deleteNote": async ({ deps, caller, transact }, { params }) =>
    transact(async (tx) => ({
      status: 200,
      body: await removeNote(deps, tx, caller, params.phone, params.id),
    })),
};

async function presentOne(
  deps: ConversationsDeps,
  db: Queryable,
  caller: Principal,
  row: ConversationRow,
) {
  const [shown] = await presentConversations(deps, db, caller, [row]);
  return expect(shown, "a conversation was not presented");
}
