import { statement } from "../../core/db/driver/statement.ts";

export const SEGMENT_COLUMNS = "id, name, filter, created_at";

/** Locks the account, so that parallel requests cannot exceed SEGMENTS_MAX. */
export const lockSegments = statement(
  "lock_segments",
  "select 1 from account_counters where shard = $1 and account_id = $2 for no key update",
);

export const countSegmentRows = statement(
  "count_segments",
  "select count(*)::int as segments from segments where shard = $1 and account_id = $2",
);

export const insertSegment = statement(
  "insert_segment",
  `insert into segments (shard, account_id, id, name, filter, created_at)
   values ($1, $2, $3, $4, $5, $6) returning ${SEGMENT_COLUMNS}`,
);

export const findSegmentRow = statement(
  "find_segment",
  `select ${SEGMENT_COLUMNS} from segments where shard = $1 and account_id = $2 and id = $3`,
);

export const lockSegmentRow = statement(
  "lock_segment",
  `select ${SEGMENT_COLUMNS} from segments
    where shard = $1 and account_id = $2 and id = $3 for update`,
);

export const updateSegment = statement(
  "update_segment",
  `update segments set name = $4, filter = $5
    where shard = $1 and account_id = $2 and id = $3 returning ${SEGMENT_COLUMNS}`,
);

export const deleteSegment = statement(
  "delete_segment",
  "delete from segments where shard = $1 and account_id = $2 and id = $3",
);
