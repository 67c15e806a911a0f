import { type ContactFilter, type FilterNode, Problem, parseFilter } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";
import { findSegmentRow, lockSegmentRow } from "./sql.ts";

export interface SegmentRow {
  readonly id: string;
  readonly name: string;
  readonly filter: ContactFilter;
  readonly created_at: number;
}

/** The segment that a path names, or 404. */
export function segmentOf(db: Queryable, account: AccountRef, apiId: string): Promise<SegmentRow> {
  return namedByPath(db, findSegmentRow, account, apiId);
}

/** The same, locked until the transaction ends. */
export function lockSegment(tx: Tx, account: AccountRef, apiId: string): Promise<SegmentRow> {
  return namedByPath(tx, lockSegmentRow, account, apiId);
}

async function namedByPath(
  db: Queryable,
  how: Statement,
  account: AccountRef,
  apiId: string,
): Promise<SegmentRow> {
  const row = await read(db, how, account, apiId);
  if (!row) throw new Problem("not_found", `There is no segment ${apiId.slice(0, 64)}.`);
  return row;
}

async function read(
  db: Queryable,
  how: Statement,
  account: AccountRef,
  apiId: string,
): Promise<SegmentRow | null> {
  const id = fromApiId("segment", apiId);
  const [row] = id ? await db.query<SegmentRow>(how, [account.shard, account.id, id]) : [];
  return row ?? null;
}

/** The filter of the segment that a body or query names as `segment_id`, or 400. */
export async function segmentFilter(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<FilterNode> {
  const row = await read(db, findSegmentRow, account, apiId);
  if (row) return storedFilter(row);
  throw new Problem("invalid_request", `There is no segment ${apiId.slice(0, 64)}.`, {
    param: "segment_id",
  });
}

/** A filter as it was checked when it was saved. */
export function storedFilter({ id, filter }: SegmentRow): FilterNode {
  const parsed = parseFilter(filter);
  if (!parsed.ok) throw new Error(`The filter of segment ${id} cannot be read: ${parsed.reason}`);
  return parsed.filter;
}
