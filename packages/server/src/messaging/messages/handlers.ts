import { MESSAGE_CSV_COLUMNS, type Message, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { csvHeaders, exportCsv } from "../../http/api/export-csv.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { inMode, type ModedCaller } from "../../http/api/modes.ts";
import type { MessageHandlersDeps } from "./deps.ts";
import { listMessages } from "./list.ts";
import type { MessageRow } from "./message-row.ts";
import { presentMessage } from "./present.ts";
import { findMessage } from "./sql.ts";
import { timelineOf } from "./timeline.ts";

type Names = "messages.list" | "messages.get" | "messages.timeline" | "exports.messages";

export const messageHandlers: HandlersOf<Names, MessageHandlersDeps> = {
  "messages.list": async ({ deps, caller }, { query }) => {
    if (query.batch_id !== undefined) await deps.requireBatch(caller, query.batch_id, "batch_id");
    return { status: 200, body: await listMessages(deps, caller, query) };
  },
  "messages.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentMessage(await messageOf(deps, caller, params.id)),
  }),
  "messages.timeline": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: await timelineOf(deps, await messageOf(deps, caller, params.id)),
  }),
  "exports.messages": async ({ deps, caller }, { query }) => {
    if (query.batch_id !== undefined) await deps.requireBatch(caller, query.batch_id, "batch_id");
    return {
      status: 200,
      body: await exportCsv(MESSAGE_CSV_COLUMNS, cellsOf, (page) =>
        listMessages(deps, caller, { ...query, ...page }),
      ),
      headers: csvHeaders("messages"),
    };
  },
};

function cellsOf({ failure, ...message }: Message) {
  return { ...message, failure_code: failure?.code ?? null };
}

async function messageOf(
  deps: Base,
  { account, mode }: ModedCaller,
  id: string,
): Promise<MessageRow> {
  const uuid = fromApiId("message", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await deps.db.query<MessageRow>(findMessage, values) : [];
  const row = inMode(found, mode);
  if (row === null || row.from_service)
    throw new Problem("not_found", `There is no message ${id.slice(0, 64)}.`);
  return row;
}
