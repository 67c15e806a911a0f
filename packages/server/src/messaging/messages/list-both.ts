import { type Fragment, join, notByIndex, raw, sql } from "../db/sql-builder.ts";
import type { Filters } from "./list-filters.ts";
import { type Listed, ofKind, type Walk, walkBySubject } from "./list-walks.ts";

/** So many texts of each kind are looked at first, and twice as many each time that this is not enough. */
const FIRST_LOOK_TEXTS = 64;
const LOOK_TEXTS_MAX = 1_024;

/** To look up a text takes as long as to read so many along an index. */
const TEXTS_READ_PER_LOOKUP = 4;

/**
 * By a status and a number or customer, of which neither is known as the one with fewer texts: a
 * handful is read of both, whichever reaches further back has fewer there, and those of it that are of
 * the other kind too are in the list. From where it ended both are read again. So what one of them has
 * many of, and the other none, is passed over at once, wherever it is.
 *
 * Which of a status's texts are the subject's too is told by reading the subject's as far back, from an
 * index alone; where those are many times as many, by the messages themselves. What has a status is not
 * from the service's own numbers, so walks need not ask for that.
 */
export function walkByBoth(
  account: Listed,
  filters: Filters,
  walks: readonly Walk[],
  limit: number,
): Fragment {
  return sql`with recursive steps (before, size, found, ids) as (
      select ${filters.toId}::uuid, ${FIRST_LOOK_TEXTS}::int, 0, '{}'::uuid[]
      union all
      select reached, least(size * 2, ${LOOK_TEXTS_MAX}::int), found + cardinality(look.ids), look.ids
        from steps cross join lateral (${lookAt(account, filters, walks)}) as look
       where before is not null and found < ${limit}::int)
    select unnest(ids) as id from steps`;
}

/** One look at both, before `steps.before` and at `steps.size` of each: how far it reached, and what it found. */
function lookAt(account: Listed, filters: Filters, walks: readonly Walk[]): Fragment {
  const [first, before] = [sql`${filters.fromId}::uuid`, sql`steps.before`];
  const walked = (from: Fragment, limit: Fragment) =>
    walkBySubject(account, filters, walks, { first: from, before, limit }, true);
  const readMax = sql`steps.size * ${TEXTS_READ_PER_LOOKUP}::int`;
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
                                          * ${TEXTS_READ_PER_LOOKUP}::int >= steps.size as is_read
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
                 ${lookedUp(account, walks, first)}
                 union all
                 select s.id from ${ofStatus(account, filters)} and not are_of_status ${among("s", "by_subject", first)}) as ids
          from known`;
}

function ofStatus(account: Listed, { statuses }: Filters): Fragment {
  // Where not every status of a direction is asked for, one is.
  return sql`message_statuses s
                where s.shard = ${account.shard} and s.account_id = ${account.id} and s.status = ${statuses[0]}`;
}

/**
 * Those of the status that are the subject's, where those of the subject were too many to read: each is looked at
 * once, by its id, whichever of the walks it may be of.
 */
function lookedUp(account: Listed, walks: readonly Walk[], first: Fragment): Fragment {
  const each = walks.map(
    ({ directions, where }) => sql`(m.direction = any (${directions}::text[]) ${where})`,
  );
  return sql`select m.id from messages m
                  where are_of_status and not is_read and m.shard = ${account.shard}
                    and ${notByIndex(sql`m.account_id = ${account.id}`)} and (${join(each, " or ")})
                    ${among("m", "by_status", first)}`;
}

/** The bounds are those of what was read, and tell PostgreSQL which months it need not look at. */
function among(table: "m" | "s", read: "by_status" | "by_subject", first: Fragment): Fragment {
  const id = raw(`${table}.id`);
  return sql`and ${id} = any (array(select id from ${raw(read)}))
                    and ${id} >= coalesce(reached, ${first}) and ${id} < steps.before`;
}
