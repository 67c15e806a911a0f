import {
  type Batch,
  type BatchRecipient,
  type BatchRecipientOutcome,
  type BatchRecipientStatus,
  Problem,
  RECIPIENT_PAGE_ITEMS_DEFAULT,
  type RouteInput,
} from "@longwave/contract";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { composed, type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { inMode, type ModedCaller, narrowsToNothing } from "../../http/api/modes.ts";
import { EMPTY_PAGE, type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { BatchRow, ShownRecipient } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { presentBatch, presentRecipient, statesShownAs } from "./present.ts";
import { BATCH_COLUMNS, findBatch, lockBatch, RECIPIENT_COLUMNS } from "./sql.ts";

/** Reads the batch of a path in the caller's mode, or answers 404. */
export async function batchOf(db: Queryable, caller: ModedCaller, id: string): Promise<BatchRow> {
  const row = await find(db, caller, id);
  if (row === null) throw noBatch(id);
  return row;
}

/** Refuses the id of a filter that names no batch of the caller. */
export async function requireBatch(
  db: Queryable,
  caller: ModedCaller,
  id: string,
  param: string,
): Promise<void> {
  if ((await find(db, caller, id)) !== null) return;
  throw new Problem("invalid_request", noBatch(id).message, { param });
}

async function find(
  db: Queryable,
  { account, mode }: ModedCaller,
  id: string,
): Promise<BatchRow | null> {
  const uuid = fromApiId("batch", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await db.query<BatchRow>(findBatch, values) : [];
  return inMode(found, mode);
}

/** Locks the batch of a path until commit; 404 if the account and mode have none. */
export async function lockOwnBatch(
  tx: Tx,
  { account, mode }: ModedCaller,
  id: string,
): Promise<BatchRow> {
  const uuid = fromApiId("batch", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await tx.query<BatchRow>(lockBatch, values) : [];
  const batch = inMode(found, mode);
  if (batch === null) throw noBatch(id);
  return batch;
}

function noBatch(id: string): Problem {
  return new Problem("not_found", `There is no batch ${id.slice(0, 64)}.`);
}

/** GET /batches: newest first. */
export async function listBatches(
  deps: Deps,
  caller: ModedCaller,
  query: RouteInput<"batches.list">["query"],
): Promise<PageAnswer<Batch>> {
  const { account, mode } = caller;
  const filters = { status: query.status, q: query.q?.trim().toLowerCase(), mode };
  const scope = { list: "batches.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  if (narrowsToNothing(caller, query)) return EMPTY_PAGE;
  const ofStatus = query.status === undefined ? sql`` : sql`and b.status = ${query.status}`;
  const words =
    filters.q === undefined
      ? sql``
      : sql`and strpos(lower(concat_ws(' ', b.name, b.body)), ${filters.q}) > 0`;
  const after = page.after ? sql`and b.id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<BatchRow>(
    composed(
      "list_batches",
      sql`select ${raw(BATCH_COLUMNS)} from batches b
         where b.shard = ${account.shard} and b.account_id = ${account.id} and b.mode = ${mode} ${ofStatus} ${words} ${after}
         order by b.id desc limit ${page.limit + 1}`,
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentBatch);
}

type Query = RouteInput<"batches.recipients">["query"];

/** GET /batches/{id}/recipients: in upload order. */
export async function listRecipients(
  deps: Deps,
  caller: ModedCaller,
  id: string,
  query: Query,
): Promise<PageAnswer<BatchRecipient>> {
  const { account } = caller;
  const batch = await batchOf(deps.db, caller, id);
  const { status, message_status: messageStatus, outcome, failure_code: failureCode } = query;
  const filters = { batch: batch.id, status, messageStatus, outcome, failureCode };
  const scope = { list: "batches.recipients", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query, RECIPIENT_PAGE_ITEMS_DEFAULT);
  const ofState = status === undefined ? sql`` : shownAs(batch, status);
  const ofOutcome = outcome === undefined ? sql`` : endedAs(batch, outcome);
  const ofFailure =
    failureCode === undefined ? sql`` : sql`and ${raw(FAILURE_CODE)} = ${failureCode}`;
  const ofMessage = messageStatus === undefined ? sql`` : sql`and m.status = ${messageStatus}`;
  const after = page.after ? sql`and r.index > ${page.after[0]}` : sql``;
  // The filter uses the batch status read above; the next page reads the status again.
  const rows = await deps.db.query<ShownRecipient>(
    composed(
      "list_batch_recipients",
      sql`select ${raw(RECIPIENT_COLUMNS)}, m.status as message_status, m.delivered_at,
               m.failure_code as message_failure, m.carrier_code as message_carrier_code
          from batch_recipients r
          left join lateral (
            select status, delivered_at, failure_code, carrier_code from messages
             where shard = ${account.shard} and id = r.message_id limit 1) m on true
         where r.shard = ${account.shard} and r.batch_id = ${batch.id} ${ofState} ${ofMessage} ${ofOutcome} ${ofFailure} ${after}
         order by r.index limit ${page.limit + 1}`,
    ),
  );
  const present = (row: ShownRecipient) => presentRecipient(batch, row);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.index], present);
}

/** Code of the failure that `presentRecipient` shows. */
const FAILURE_CODE = `case when r.state in ('failed', 'skipped') and r.failure_code is not null then r.failure_code
                            when m.status = 'failed' then m.failure_code end`;

function shownAs({ status }: BatchRow, wanted: BatchRecipientStatus): Fragment {
  return sql`and r.state = any(${statesShownAs(status, wanted)}::text[])`;
}

/** Recipients by status, where receipts divide the sent ones. */
function endedAs(batch: BatchRow, outcome: BatchRecipientOutcome): Fragment {
  switch (outcome) {
    case "delivered":
      return sql`and r.state = 'sent' and m.status = 'delivered'`;
    case "sent":
      return sql`and r.state = 'sent' and m.status is distinct from 'delivered' and m.status is distinct from 'failed'`;
    case "failed":
      return sql`and (r.state = 'failed' or (r.state = 'sent' and m.status = 'failed'))`;
    default:
      return shownAs(batch, outcome);
  }
}
