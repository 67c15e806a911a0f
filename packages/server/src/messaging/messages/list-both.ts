import { type Fragment, join, notByIndex, raw, sql } from "../../core/db/driver/sql-builder.ts";
import type { Filters } from "./list-filters.ts";
import { type Listed, ofKind, type Walk, walkBySubject } from "./list-walks.ts";

/** Messages of each kind that the first step reads; each further step reads twice as many. */
const FIRST_STEP_MESSAGES = 64;
const STEP_MESSAGES_MAX = 1_024;

/** Looking up one message costs as much as reading this many along an index. */
const MESSAGES_READ_PER_LOOKUP = 4;

/**
 * Walks by a status and a number or customer, when neither is known to be the rarer one.
 *
 * Each step reads a handful of both. The kind that reaches further back is the rarer one there, and its messages
 * that are also of the other kind are in the list. The next step starts where the rarer one ended. Long runs that
 * only one of them has are thus skipped at once.
 *
 * To find a status's messages that are also the subject's, the step reads the subject's index as far back; if
 * those are many times as many, it looks up the messages instead. Listed statuses never belong to the service's
 * own numbers, so walks need not filter them.
 */
export function walkByBoth(
  account: Listed,
  filters: Filters,
  walks: readonly Walk[],
  limit: number,
): Fragment {
  return sql`with recursive steps (before, size, found, ids) as (
      select ${filters.toId}::uuid, ${FIRST_STEP_MESSAGES}::int, 0, '{}'::uuid[]
      union all
      select reached, least(size * 2, ${STEP_MESSAGES_MAX}::int), found + cardinality(look.ids), look.ids
        from steps cross join lateral (${stepOver(account, filters, walks)}) as look
       where before is not null and found < ${limit}::int)
    select unnest(ids) as id from steps`;
}

/** One step over both, before `steps.before` and at most `steps.size` of each: how far it reached, and its ids. */
function stepOver(account: Listed, filters: Filters, walks: readonly Walk[]): Fragment {
  const [first, before] = [sql`${filters.fromId}::uuid`, sql`steps.before`];
  const walked = (from: Fragment, limit: Fragment) =>
    walkBySubject(account, filters, walks, { first: from, before, limit }, true);
  const readMax = sql`steps.size * ${MESSAGES_READ_PER_LOOKUP}::int`;
  return sql`
        with by_status as materialized (
               select s.id from ${ofStatus(account, filters)} and s.id >= ${first} and s.id < ${before} ${ofKind("s", filters)}
                order by s.id desc limit steps.size),
             by_subject as materialized (
               select distinct id from (${walked(first, sql`steps.size`)}) as walks order by id desc limit steps.size),
             ends as materialized (
               select (select id from by_status order by id desc offset steps.size - 1) as status_end,
                      (select id from by_subject order by id desc offset steps.size - 1) as subject_end),
             fewer as materialized (
               select are_of_status, case when are_of_status then status_end else subject_end end as reached,
                      are_of_status and (select count(*) from by_status where id >= coalesce(subject_end, ${first}))
                                          * ${MESSAGES_READ_PER_LOOKUP}::int >= steps.size as is_read
                 from (select *, status_end is null or (subject_end is not null and status_end <= subject_end) as are_of_status
                         from ends) as compared),
             of_subject as materialized (
               select walks.id from fewer cross join lateral (
                 ${walked(sql`coalesce(fewer.reached, ${first})`, readMax)}) as walks
                where is_read),
             known as materialized (
               select are_of_status, reached, is_read and (select count(*) from of_subject) < ${readMax} as is_read from fewer)
        select reached, array(
                 select id from by_status where is_read and id in (select id from of_subject)
                 union all
                 ${lookedUp(account, filters, walks, first)}
                 union all
                 select s.id from ${ofStatus(account, filters)} and not are_of_status ${among("s", "by_subject", first)}) as ids
          from known`;
}

function ofStatus(account: Listed, { mode, statuses }: Filters): Fragment {
  // A filter by status names exactly one, unless it names every status of a direction.
  return sql`message_statuses s
                where s.shard = ${account.shard} and s.account_id = ${account.id} and s.mode = ${mode} and s.status = ${statuses[0]}`;
}

/** Looks up messages of the status by id and keeps the subject's, when the subject's were too many to read. */
function lookedUp(
  account: Listed,
  filters: Filters,
  walks: readonly Walk[],
  first: Fragment,
): Fragment {
  const each = walks.map(
    ({ directions, where }) => sql`(m.direction = any (${directions}::text[]) ${where})`,
  );
  return sql`select m.id from messages m
                  where are_of_status and not is_read and m.shard = ${account.shard}
                    and ${notByIndex(sql`m.account_id = ${account.id}`)}
                    and ${notByIndex(sql`m.mode = ${filters.mode}`)} and (${join(each, " or ")})
                    ${among("m", "by_status", first)}`;
}

/** Bounds by the ids that were read, so that PostgreSQL prunes the other months. */
function among(table: "m" | "s", read: "by_status" | "by_subject", first: Fragment): Fragment {
  const id = raw(`${table}.id`);
  return sql`and ${id} = any (array(select id from ${raw(read)}))
                    and ${id} >= coalesce(reached, ${first}) and ${id} < steps.before`;
}
