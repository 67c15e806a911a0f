import { type ContactFilter, type FilterNode, parseFilter } from "@longwave/contract";
import { ownedFinder } from "../api/owned.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { findSegmentRow, lockSegmentRow } from "./sql.ts";

export interface SegmentRow {
  readonly id: string;
  readonly name: string;
  readonly filter: ContactFilter;
  readonly created_at: number;
}

const segments = ownedFinder<SegmentRow>("segment", "segment");

/** The segment that a path names, or 404. */
export function segmentOf(db: Queryable, account: AccountRef, apiId: string): Promise<SegmentRow> {
  return segments.inPath(db, findSegmentRow, account, apiId);
}

/** The same, locked until the transaction ends. */
export function lockSegment(tx: Tx, account: AccountRef, apiId: string): Promise<SegmentRow> {
  return segments.inPath(tx, lockSegmentRow, account, apiId);
}

/** The filter of the segment that a body or query names as `segment_id`, or 400. */
export async function segmentFilter(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<FilterNode> {
  return storedFilter(await segments.inField(db, findSegmentRow, account, apiId, "segment_id"));
}

/** A filter as it was checked when it was saved. */
export function storedFilter({ id, filter }: SegmentRow): FilterNode {
  const parsed = parseFilter(filter);
  if (!parsed.ok) throw new Error(`The filter of segment ${id} cannot be read: ${parsed.reason}`);
  return parsed.filter;
}
