import {
  formatTimestamp,
  Problem,
  SEGMENT_PREVIEW_CONTACTS_MAX,
  SEGMENTS_MAX,
  type Segment,
} from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import { changesBetween } from "../../account/audit/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { accountIn, type ModedAccount } from "../../http/api/modes.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { countSelected, presentContacts, readFilter, readSelected } from "../contacts/index.ts";
import { lockSegment, type SegmentRow, segmentOf, storedFilter } from "./find.ts";
import {
  countSegmentRows,
  deleteSegment,
  insertSegment,
  lockSegments,
  SEGMENT_COLUMNS,
  updateSegment,
} from "./sql.ts";

type Names =
  | "segments.create"
  | "segments.list"
  | "segments.preview"
  | "segments.get"
  | "segments.update"
  | "segments.delete";

export const segmentHandlers: HandlersOf<Names> = {
  "segments.create": async (context, { body }) => {
    const { deps, caller, transact } = context;
    const { account } = caller;
    await readFilter(deps.db, account, body.filter);
    return transact(async (tx) => {
      await tx.query(lockSegments, [account.shard, account.id]);
      const counted = await tx.query<{ segments: number }>(countSegmentRows, [
        account.shard,
        account.id,
      ]);
      if ((counted[0]?.segments ?? 0) >= SEGMENTS_MAX) {
        throw new Problem(
          "limit_reached",
          `An account has at most ${SEGMENTS_MAX} segments. Delete one that is no longer used.`,
        );
      }
      const now = deps.clock.now();
      const [row] = await tx.query<SegmentRow>(insertSegment, [
        account.shard,
        account.id,
        deps.ids.makeAt(now),
        body.name,
        JSON.stringify(body.filter),
        new Date(now),
      ]);
      const made = expect(row, "a segment was not written");
      const shown = await present(deps.db, accountIn(caller), made);
      // Last, because appending to the account's log blocks its sends, and counting is slow.
      await recordBy(context, tx, "segment.created", shown.id, body);
      return { status: 201, body: shown };
    });
  },

  "segments.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "segments.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`shard = ${account.shard} and account_id = ${account.id}`];
    if (page.after) conditions.push(sql`id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<SegmentRow>(
      composed(
        "list_segments",
        sql`select ${raw(SEGMENT_COLUMNS)} from segments where ${join(conditions, " and ")}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const answer = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      (row) => row,
    );
    const data: Segment[] = [];
    // Sequential: each count may scan all contacts, and one page must not take all connections.
    for (const row of answer.data) data.push(await present(deps.db, accountIn(caller), row));
    return { status: 200, body: { ...answer, data } };
  },

  "segments.preview": async ({ deps, caller }, { body }) => {
    const account = accountIn(caller);
    const filter = await readFilter(deps.db, account, body.filter);
    const size = await countSelected(deps.db, account, { filter });
    const rows =
      size === 0
        ? []
        : await readSelected(deps.db, account, { filter }, null, SEGMENT_PREVIEW_CONTACTS_MAX);
    const contacts = await presentContacts(deps.db, account, rows);
    return { status: 200, body: { object: "segment_preview", size, contacts } };
  },

  "segments.get": async ({ deps, caller }, { params }) => {
    const row = await segmentOf(deps.db, caller.account, params.id);
    return { status: 200, body: await present(deps.db, accountIn(caller), row) };
  },

  "segments.update": async (context, { params, body }) => {
    const { deps, caller, transact } = context;
    const { account } = caller;
    if (body.filter !== undefined) await readFilter(deps.db, account, body.filter);
    return transact(async (tx) => {
      const before = await lockSegment(tx, account, params.id);
      const { name = before.name, filter = before.filter } = body;
      const changes = changesBetween(
        { name: before.name, filter: before.filter },
        { name, filter },
      );
      if (changes === null)
        return { status: 200, body: await present(deps.db, accountIn(caller), before) };
      const values = [account.shard, account.id, before.id, name, JSON.stringify(filter)];
      const [row] = await tx.query<SegmentRow>(updateSegment, values);
      const after = expect(row, "a locked segment is gone");
      const shown = await present(deps.db, accountIn(caller), after);
      await recordBy(context, tx, "segment.updated", shown.id, changes);
      return { status: 200, body: shown };
    });
  },

  "segments.delete": async (context, { params }) => {
    const { deps, caller, transact } = context;
    return transact(async (tx) => {
      const { account } = caller;
      const row = await lockSegment(tx, account, params.id);
      await tx.query(deleteSegment, [account.shard, account.id, row.id]);
      const shown = await present(deps.db, accountIn(caller), row);
      await recordBy(context, tx, "segment.deleted", shown.id, { name: row.name });
      return { status: 200, body: shown };
    });
  },
};

/** The segment with its size, counted now. */
async function present(db: Queryable, account: ModedAccount, row: SegmentRow): Promise<Segment> {
  return {
    id: toApiId("segment", row.id),
    object: "segment",
    name: row.name,
    filter: row.filter,
    size: await countSelected(db, account, { filter: storedFilter(row) }),
    created_at: formatTimestamp(row.created_at),
  };
}
