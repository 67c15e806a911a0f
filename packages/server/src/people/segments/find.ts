import { type ContactFilter, type FilterNode, parseFilter } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { ownedFinder } from "../../http/api/owned.ts";
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

/** The segment that a path names, locked until the transaction ends, or 404. */
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

/** Parses a stored filter. It was validated when saved, so a failure is a bug. */
export function storedFilter({ id, filter }: SegmentRow): FilterNode {
  const parsed = parseFilter(filter);
  if (!parsed.ok) throw new Error(`The filter of segment ${id} cannot be read: ${parsed.reason}`);
  return parsed.filter;
}
