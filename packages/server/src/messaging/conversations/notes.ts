import {
  CONVERSATION_NOTES_MAX,
  type ConversationNote,
  formatTimestamp,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { emitUpdated, lockConversation } from "./change.ts";
import type { ConversationsDeps } from "./deps.ts";
import { conversationOf } from "./find.ts";
import { countNotes, deleteNote, insertNote, NOTE_COLUMNS } from "./sql.ts";

interface NoteRow {
  readonly id: string;
  readonly phone_number: string;
  readonly body: string;
  readonly author_id: string;
  readonly author_name: string | null;
  readonly created_at: number;
}

export async function listNotes(
  deps: ConversationsDeps,
  caller: Principal,
  person: string,
  query: RouteInput<"conversations.notes">["query"],
): Promise<PageAnswer<ConversationNote>> {
  const { account, mode } = caller;
  const { phone_number } = await conversationOf(deps.db, caller, person);
  const filters = { mode, phone_number };
  const scope = { list: "conversations.notes", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const older = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<NoteRow>(
    composed(
      "list_conversation_notes",
      sql`select ${raw(NOTE_COLUMNS)} from conversation_notes
           where shard = ${account.shard} and account_id = ${account.id} and mode = ${mode}
             and phone_number = ${phone_number} ${older}
           order by id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentNote);
}

export async function addNote(
  deps: ConversationsDeps,
  tx: Tx,
  caller: Principal,
  person: string,
  body: string,
): Promise<ConversationNote> {
  requireNotBlank(body, "body");
  const { account, mode } = caller;
  const row = await lockConversation(tx, caller, person);
  const key = [account.shard, account.id, mode, row.phone_number];
  const [count] = await tx.query<{ notes: number }>(countNotes, key);
  if ((count?.notes ?? 0) >= CONVERSATION_NOTES_MAX) {
    throw new Problem(
      "limit_reached",
      `A conversation has at most ${CONVERSATION_NOTES_MAX} notes. Delete one that is no longer needed.`,
    );
  }
  const now = deps.clock.now();
  const name = caller.kind === "user" ? caller.userName : caller.keyName;
  const author = [callerApiId(caller), name];
  const values = [...key, deps.ids.makeAt(now), body, ...author, new Date(now)];
  const [note] = await tx.query<NoteRow>(insertNote, values);
  await emitUpdated(deps, tx, caller, row, ["notes"]);
  return presentNote(expect(note, "a note was not written"));
}

export async function removeNote(
  deps: ConversationsDeps,
  tx: Tx,
  caller: Principal,
  person: string,
  apiId: string,
): Promise<ConversationNote> {
  const { account, mode } = caller;
  const row = await lockConversation(tx, caller, person);
  const id = fromApiId("conversation_note", apiId);
  const values = [account.shard, account.id, mode, row.phone_number, id];
  const [note] = id === null ? [] : await tx.query<NoteRow>(deleteNote, values);
  if (!note) throw new Problem("not_found", `There is no note ${apiId.slice(0, 64)}.`);
  await emitUpdated(deps, tx, caller, row, ["notes"]);
  return presentNote(note);
}

function presentNote(row: NoteRow): ConversationNote {
  return {
    id: toApiId("conversation_note", row.id),
    object: "conversation_note",
    phone_number: row.phone_number,
    body: row.body,
    author: { id: row.author_id, name: row.author_name },
    created_at: formatTimestamp(row.created_at),
  };
}
