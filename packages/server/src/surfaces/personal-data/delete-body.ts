import { IDEMPOTENCY_HOURS, Problem } from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { firstUuidAt, toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { modedFinder } from "../../http/api/owned.ts";
import { findMessage, type MessageRow, presentMessage } from "../../messaging/messages/index.ts";

const HOUR_MS = 3_600_000;

const messages = modedFinder<MessageRow>("message", "message");

/** An incoming message's event has the body; it is written in the message's own transaction. */
const deleteReceivedEvent = statement(
  "delete_received_event",
  `delete from events where shard = $1 and account_id = $2 and id >= $3 and id < $4
      and type = 'message.received' and data ->> 'message_id' = $5`,
);
const allowDelete = statement("allow_event_delete", "set local longwave.erases_account = 'on'");
const deleteTraffic = statement(
  "delete_traffic_of_message",
  "delete from carrier_inbox where shard in (0, $1) and message_id = $2 and due_at is null",
  { acrossShards: "incoming traffic lies in shard 0" },
);
const deleteMetadata = statement(
  "delete_message_metadata",
  "delete from message_metadata where shard = $1 and account_id = $2 and mode = $3 and id = $4",
);
const emptyMessage = statement(
  "empty_message",
  `update messages set body = '', metadata = null
    where shard = $1 and account_id = $2 and id = $3 and status <> 'queued' returning 1 as emptied`,
);

const emptyScheduled = statement(
  "empty_scheduled_message",
  `update scheduled_messages set body = '', metadata = null
    where shard = $1 and account_id = $2 and id = $3 and status <> 'pending'`,
);
const emptyBatchRow = statement(
  "empty_batch_recipient",
  `update batch_recipients set variables = null, metadata = null
    where shard = $1 and batch_id = $2 and index = $3 and message_id = $4
      and state not in ('waiting', 'handed', 'retrying')`,
);
/** Hook calls live for seven days: the index by age finds those of the message's time. */
const emptyHookMessage = statement(
  "empty_hook_message",
  "update hook_messages set body = '' where shard = $1 and account_id = $2 and id >= $3 and id < $4 and message_id = $5",
);
/** A repeated request is answered without the body. Encrypted answers hold no message. */
const emptyAnswers = statement(
  "empty_stored_answers",
  `update idempotency_keys
      set response = convert_to((convert_from(response, 'UTF8')::jsonb || '{"body": "", "metadata": {}}')::text, 'UTF8')
    where shard = $1 and account_id = $2 and mode = $3 and not encrypted and status < 300
      and case when position(convert_to($4, 'UTF8') in response) > 0
               then convert_from(response, 'UTF8')::jsonb ->> 'id' = $4 else false end`,
);

export const messageBodyHandlers: HandlersOf<"messages.deleteBody"> = {
  "messages.deleteBody": async (context, { params }) => {
    const { deps, caller, transact } = context;
    const row = await messages.inPath(deps.db, findMessage, caller, params.id);
    if (row.status === "queued") throw notSent();
    if (row.direction === "inbound") await deleteEvent(deps, row);
    return transact(async (tx) => {
      const key = [row.shard, row.account_id, row.id];
      if ((await tx.query(emptyMessage, key)).length === 0) throw notSent();
      await emptyCopies(deps, tx, row);
      await tx.query(deleteTraffic, [row.shard, row.id]);
      await tx.query(deleteMetadata, [row.shard, row.account_id, row.mode, row.id]);
      if (row.body !== "") {
        await recordBy(context, tx, "message.body_deleted", toApiId("message", row.id));
      }
      const [after] = await tx.query<MessageRow>(findMessage, key);
      return { status: 200, body: presentMessage(expect(after, "a changed message is gone")) };
    });
  },
};

/** Other rows with the same words: what was scheduled, sent in a batch or called for, and stored answers. */
async function emptyCopies(deps: Base, tx: Tx, row: MessageRow): Promise<void> {
  const { shard, account_id, mode, id, scheduled_message_id, batch_id, batch_index } = row;
  const range = [row.created_at - HOUR_MS, row.created_at + HOUR_MS].map((ms) => firstUuidAt(ms));
  await tx.query(emptyHookMessage, [shard, account_id, ...range, id]);
  const apiIds = [toApiId("message", id)];
  if (scheduled_message_id !== null) {
    await tx.query(emptyScheduled, [shard, account_id, scheduled_message_id]);
    apiIds.push(toApiId("scheduled_message", scheduled_message_id));
  }
  if (batch_id !== null) await tx.query(emptyBatchRow, [shard, batch_id, batch_index, id]);
  // Answers live for a day; a scheduled message was answered before it became a message.
  const isAnswerKept = deps.clock.now() - row.created_at < IDEMPOTENCY_HOURS * HOUR_MS;
  if (!isAnswerKept) return;
  for (const apiId of apiIds) await tx.query(emptyAnswers, [shard, account_id, mode, apiId]);
}

/** The application may not delete events: the owner of the tables does. */
async function deleteEvent(deps: Base, row: MessageRow): Promise<void> {
  const range = [row.created_at - HOUR_MS, row.created_at + HOUR_MS].map((ms) => firstUuidAt(ms));
  const values = [row.shard, row.account_id, ...range, toApiId("message", row.id)];
  await deps.asOwner((db) =>
    db.tx(async (tx) => {
      await tx.query(allowDelete, []);
      await tx.query(deleteReceivedEvent, values);
    }),
  );
}

function notSent(): Problem {
  return new Problem(
    "invalid_state",
    "The message has not left yet, and needs its body. Delete the body once the message is sent or has failed.",
  );
}
