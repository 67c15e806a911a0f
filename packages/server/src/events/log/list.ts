import {
  EVENT_RETENTION_DAYS,
  EVENT_TYPES,
  type Event,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { Clock } from "../../core/platform/clock.ts";
import { firstUuidAt, fromApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { phoneOf } from "../../http/api/phone-input.ts";
import { type EventRow, presentEvent } from "./present.ts";
import { EVENT_COLUMNS, findEvent } from "./sql.ts";

type Query = RouteInput<"events.list">["query"];

const DAY_MS = 86_400_000;
/** An id is made when its group is written, shortly after the event's own time. */
const ID_AFTER_EVENT_MS_MAX = 10_000;

/** The smallest id of an event within retention. */
export function oldestShownId(clock: Clock): string {
  return firstUuidAt(clock.now() - EVENT_RETENTION_DAYS * DAY_MS);
}

/**
 * GET /events: newest first, of the caller's mode. Without a type, short walks of every type are merged: the index
 * begins with mode and type, so the other mode's events cost nothing.
 */
export async function listEvents(
  deps: Base,
  { account, mode }: ModedCaller,
  query: Query,
): Promise<PageAnswer<Event>> {
  const { type } = query;
  const times = timesOf(query);
  const phone = query.phone === undefined ? null : phoneOf(query.phone, "phone");
  const filters = { mode, type, phone, ...times };
  const scope = { list: "events.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const conditions: Fragment[] = [
    sql`e.shard = ${account.shard}`,
    sql`e.account_id = ${account.id}`,
    sql`e.mode = ${mode}`,
    sql`e.type = t.type`,
    sql`e.id >= ${oldestShownId(deps.clock)}::uuid`,
    ...timeConditions(times),
  ];
  if (page.after) conditions.push(sql`e.id < ${page.after[0]}::uuid`);
  // A number in quotes is a whole value of the JSON: quotes within a text are escaped.
  if (phone !== null) conditions.push(sql`strpos(e.data::text, ${`"${phone}"`}) > 0`);
  const rows = await deps.db.query<EventRow>(
    composed(
      "list_events",
      sql`select e.* from unnest(${type === undefined ? EVENT_TYPES : [type]}::text[]) as t (type)
         cross join lateral (
           select ${raw(EVENT_COLUMNS)} from events e where ${join(conditions, " and ")}
            order by e.id desc limit ${page.limit + 1}) as e
         order by e.id desc limit ${page.limit + 1}`,
      // Few of the events may name the phone, and all are compared.
      phone === null ? {} : { profile: "scans" },
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentEvent);
}

function timesOf(query: Query) {
  return {
    after: parseTimestampParam(query.created_after, "created_after"),
    before: parseTimestampParam(query.created_before, "created_before"),
  };
}

/** Dates as bounds on ids, the order of the indexes; exact times decide at the edges. */
function timeConditions({ after, before }: ReturnType<typeof timesOf>): Fragment[] {
  const conditions: Fragment[] = [];
  if (after !== null) {
    conditions.push(sql`e.id >= ${firstUuidAt(after)}::uuid`);
    conditions.push(sql`e.created_at >= ${new Date(after)}`);
  }
  if (before !== null) {
    conditions.push(sql`e.id < ${firstUuidAt(before + ID_AFTER_EVENT_MS_MAX)}::uuid`);
    conditions.push(sql`e.created_at < ${new Date(before)}`);
  }
  return conditions;
}

/** Event of the caller's mode in a path, or 404. Events past their 30 days are gone. */
export async function eventOf(
  deps: Base,
  db: Queryable,
  { account, mode }: ModedCaller,
  apiId: string,
): Promise<EventRow> {
  const id = fromApiId("event", apiId);
  const [row] =
    id !== null && id >= oldestShownId(deps.clock)
      ? await db.query<EventRow>(findEvent, [account.shard, account.id, id, mode])
      : [];
  if (!row) throw noEvent(apiId);
  return row;
}

export function noEvent(apiId: string): Problem {
  return new Problem("not_found", `There is no event ${apiId.slice(0, 64)}.`);
}
