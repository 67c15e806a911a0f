import { Problem } from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
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

export const messageBodyHandlers: HandlersOf<"messages.deleteBody"> = {
  "messages.deleteBody": async (context, { params }) => {
    const { deps, caller, transact } = context;
    const row = await messages.inPath(deps.db, findMessage, caller, params.id);
    if (row.status === "queued") throw notSent();
    if (row.direction === "inbound") await deleteEvent(deps, row);
    return transact(async (tx) => {
      const key = [row.shard, row.account_id, row.id];
      if ((await tx.query(emptyMessage, key)).length === 0) throw notSent();
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
