import { BATCH_RECIPIENT_CSV_COLUMNS, type BatchRecipient } from "@longwave/contract";
import { csvHeaders, exportCsv } from "../../http/api/export-csv.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { controlBatch } from "./control.ts";
import { createBatch, readBatch } from "./create.ts";
import type { BatchesDeps } from "./deps.ts";
import { batchOf, listBatches, listRecipients } from "./list.ts";
import { presentBatch } from "./present.ts";
import { resultsOf } from "./results.ts";
import { readChange, updateBatch } from "./update.ts";

type Names =
  | "batches.create"
  | "batches.list"
  | "batches.get"
  | "batches.update"
  | "batches.recipients"
  | "batches.results"
  | "batches.pause"
  | "batches.resume"
  | "batches.cancel"
  | "batches.retry"
  | "exports.batchRecipients";

export const batchHandlers: HandlersOf<Names, BatchesDeps> = {
  "batches.create": checking(
    (deps, { body }) => void readBatch(deps, body),
    (context, { body }) => createBatch(context, body),
  ),
  "batches.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listBatches(deps, caller, query),
  }),
  "batches.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentBatch(await batchOf(deps.db, caller, params.id)),
  }),
  "batches.update": checking(
    (deps, { body }) => void readChange(deps, body),
    (context, { params, body }) => updateBatch(context, params.id, body),
  ),
  "batches.recipients": async ({ deps, caller }, { params, query }) => ({
    status: 200,
    body: await listRecipients(deps, caller, params.id, query),
  }),
  "batches.results": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: await resultsOf(deps, caller.account, await batchOf(deps.db, caller, params.id)),
  }),
  "batches.pause": (context, { params }) => controlBatch(context, params.id, "pause"),
  "batches.resume": (context, { params }) => controlBatch(context, params.id, "resume"),
  "batches.cancel": (context, { params }) => controlBatch(context, params.id, "cancel"),
  "batches.retry": (context, { params }) => controlBatch(context, params.id, "retry"),
  "exports.batchRecipients": async ({ deps, caller }, { params, query }) => {
    return {
      status: 200,
      body: await exportCsv(BATCH_RECIPIENT_CSV_COLUMNS, cellsOf, (page) =>
        listRecipients(deps, caller, params.id, { ...query, ...page }),
      ),
      headers: csvHeaders("batch-recipients"),
    };
  },
};

function cellsOf({ failure, variables, ...recipient }: BatchRecipient) {
  return {
    ...recipient,
    variables: JSON.stringify(variables),
    failure_code: failure?.code ?? null,
    failure: failure?.title ?? null,
  };
}
