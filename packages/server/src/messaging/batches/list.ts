import {
  type Batch,
  type BatchRecipient,
  Problem,
  RECIPIENT_PAGE_ITEMS_DEFAULT,
  type RouteInput,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { BatchRow, RecipientRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { presentBatch, presentRecipient, statesShownAs } from "./present.ts";
import { BATCH_COLUMNS, findBatch, RECIPIENT_COLUMNS } from "./sql.ts";

/** Reads the batch of a path, or answers 404. */
export async function batchOf(db: Queryable, account: AccountRow, id: string): Promise<BatchRow> {
  const uuid = fromApiId("batch", id);
  const values = [account.shard, account.id, uuid];
  const [row] = uuid ? await db.query<BatchRow>(findBatch, values) : [];
  if (!row) throw noBatch(id);
  return row;
}

export function noBatch(id: string): Problem {
  return new Problem("not_found", `There is no batch ${id.slice(0, 64)}.`);
}

/** GET /batches: newest first. */
export async function listBatches(
  deps: Deps,
  account: AccountRow,
  query: RouteInput<"batches.list">["query"],
): Promise<PageAnswer<Batch>> {
  const filters = { status: query.status, mode: query.mode };
  const scope = { list: "batches.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const ofStatus = query.status === undefined ? sql`` : sql`and b.status = ${query.status}`;
  const ofMode = query.mode === undefined ? sql`` : sql`and b.mode = ${query.mode}`;
  const after = page.after ? sql`and b.id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<BatchRow>(
    composed(
      "list_batches",
      sql`select ${raw(BATCH_COLUMNS)} from batches b
         where b.shard = ${account.shard} and b.account_id = ${account.id} ${ofStatus} ${ofMode} ${after}
         order by b.id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentBatch);
}

type Query = RouteInput<"batches.recipients">["query"];

/** GET /batches/{id}/recipients: in upload order. */
export async function listRecipients(
  deps: Deps,
  account: AccountRow,
  id: string,
  query: Query,
): Promise<PageAnswer<BatchRecipient>> {
  const batch = await batchOf(deps.db, account, id);
  const filters = { batch: batch.id, status: query.status };
  const scope = { list: "batches.recipients", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query, RECIPIENT_PAGE_ITEMS_DEFAULT);
  const ofState =
    query.status === undefined
      ? sql``
      : sql`and r.state = any(${statesShownAs(batch.status, query.status)}::text[])`;
  const after = page.after ? sql`and r.index > ${page.after[0]}` : sql``;
  // The filter uses the batch status read above; the next page reads the status again.
  const rows = await deps.db.query<RecipientRow>(
    composed(
      "list_batch_recipients",
      sql`select ${raw(RECIPIENT_COLUMNS)} from batch_recipients r
         where r.shard = ${account.shard} and r.batch_id = ${batch.id} ${ofState} ${after}
         order by r.index limit ${page.limit + 1}`,
    ),
  );
  const present = (row: RecipientRow) => presentRecipient(batch, row);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.index], present);
}
