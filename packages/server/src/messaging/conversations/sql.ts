import { statement } from "../../core/db/driver/statement.ts";
import { HAS_REPLY } from "../messages/index.ts";

const NEEDS_REPLY = `(c.awaiting_id is not null and c.closed_at is null and not ${HAS_REPLY})`;

export const CONVERSATION_COLUMNS = `c.phone_number, c.mode, c.last_received_id, c.last_number, c.numbers,
  c.received, c.unread, c.awaiting_id, c.assignee_id, c.created_at, c.closed_at,
  ${NEEDS_REPLY} as needs_reply`;

/** Condition on a conversation `c` that needs a reply. */
export const IS_UNANSWERED = NEEDS_REPLY;

/**
 * Runs under the account's lock. `$8` is null for a keyword that the service answered: it is read, needs no
 * reply and leaves a closed conversation closed.
 */
export const upsertReceived = statement(
  "upsert_received_conversation",
  `insert into conversations as c (shard, account_id, mode, phone_number, last_received_id, last_number, numbers,
     received, unread, awaiting_id, created_at)
   values ($1, $2, $3, $4, $5, $6, array[$6], 1, $7, $8, $9)
   on conflict (shard, account_id, mode, phone_number) do update set
     last_received_id = greatest(c.last_received_id, excluded.last_received_id),
     last_number = excluded.last_number,
     numbers = case when excluded.last_number = any(c.numbers) then c.numbers
                    else array_prepend(excluded.last_number, c.numbers[1:$10::integer - 1]) end,
     received = c.received + 1,
     unread = c.unread + excluded.unread,
     awaiting_id = coalesce(excluded.awaiting_id, c.awaiting_id),
     closed_at = case when excluded.unread > 0 then null else c.closed_at end`,
);

/** Taken before a conversation's row, in the order of received messages, and so that limits hold. */
export const lockAccount = statement(
  "lock_conversations_account",
  "select 1 from account_counters where shard = $1 and account_id = $2 for no key update",
);

export const findConversation = statement(
  "find_conversation",
  `select ${CONVERSATION_COLUMNS} from conversations c
    where c.shard = $1 and c.account_id = $2 and c.mode = $3 and c.phone_number = $4`,
);

export const updateConversation = statement(
  "update_conversation",
  `update conversations set unread = $5, awaiting_id = $6, assignee_id = $7, closed_at = $8
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = $4`,
);

/** Counts among the newest rows only, which bounds the work. */
export const summarize = statement(
  "summarize_conversations",
  `select count(*)::int as pending,
          count(*) filter (where n.unread > 0)::int as unread,
          count(*) filter (where n.needs_reply)::int as needs_reply
     from (select c.unread, ${NEEDS_REPLY} as needs_reply from conversations c
            where c.shard = $1 and c.account_id = $2 and c.mode = $3 and c.closed_at is null
              and (c.unread > 0 or c.awaiting_id is not null)
            order by c.last_received_id desc limit $4) n`,
);

export const NOTE_COLUMNS = "id, phone_number, body, author_id, author_name, created_at";

export const countNotes = statement(
  "count_conversation_notes",
  `select count(*)::int as notes from conversation_notes
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = $4`,
);

export const insertNote = statement(
  "insert_conversation_note",
  `insert into conversation_notes (shard, account_id, mode, phone_number, id, body, author_id, author_name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${NOTE_COLUMNS}`,
);

export const deleteNote = statement(
  "delete_conversation_note",
  `delete from conversation_notes
    where shard = $1 and account_id = $2 and mode = $3 and phone_number = $4 and id = $5
    returning ${NOTE_COLUMNS}`,
);

export const SNIPPET_COLUMNS = "id, name, folded_name, body, created_at, updated_at";

export const countSnippets = statement(
  "count_snippets",
  "select count(*)::int as snippets from snippets where shard = $1 and account_id = $2",
);

export const insertSnippet = statement(
  "insert_snippet",
  `insert into snippets (shard, account_id, id, name, folded_name, body, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning ${SNIPPET_COLUMNS}`,
);

export const lockSnippet = statement(
  "lock_snippet",
  `select ${SNIPPET_COLUMNS} from snippets where shard = $1 and account_id = $2 and id = $3 for update`,
);

export const updateSnippet = statement(
  "update_snippet",
  `update snippets set name = $4, folded_name = $5, body = $6, updated_at = $7
    where shard = $1 and account_id = $2 and id = $3 returning ${SNIPPET_COLUMNS}`,
);

export const findSnippetName = statement(
  "find_snippet_name",
  "select id from snippets where shard = $1 and account_id = $2 and folded_name = $3",
);

export const deleteSnippet = statement(
  "delete_snippet",
  `delete from snippets where shard = $1 and account_id = $2 and id = $3 returning ${SNIPPET_COLUMNS}`,
);
