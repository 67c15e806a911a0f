import { statement } from "../../core/db/driver/statement.ts";

/** Numbers of a pool: live ones first, each mode in its own order. */
export const MEMBERS_IN_ORDER = "array_agg(n.phone_number order by n.mode, m.position)";

/** A pool with its numbers in order. The statement around it binds the shard as $1. */
const POOL_COLUMNS = `p.id, p.name, p.created_at, coalesce((
    select ${MEMBERS_IN_ORDER}
      from pool_members m join numbers n on n.id = m.number_id
     where m.shard = $1 and m.account_id = p.account_id and m.pool_id = p.id), '{}') as numbers`;

export const findPoolRow = statement(
  "find_pool",
  `select ${POOL_COLUMNS} from pools p
    where p.shard = $1 and p.account_id = $2 and p.id = $3 and p.deleted_at is null`,
);

export const lockPoolRow = statement(
  "lock_pool",
  `select ${POOL_COLUMNS} from pools p
    where p.shard = $1 and p.account_id = $2 and p.id = $3 and p.deleted_at is null
   for update of p`,
);

export const insertPool = statement(
  "insert_pool",
  "insert into pools (shard, account_id, id, name, created_at) values ($1, $2, $3, $4, $5)",
);

export const updatePool = statement(
  "update_pool",
  `update pools set name = $4, version = version + 1
    where shard = $1 and account_id = $2 and id = $3`,
);

export const deletePool = statement(
  "delete_pool",
  `update pools set deleted_at = $4, version = version + 1
    where shard = $1 and account_id = $2 and id = $3`,
);

export const deleteMembers = statement(
  "delete_pool_members",
  "delete from pool_members where shard = $1 and account_id = $2 and pool_id = $3",
);

/** Removes the members of one mode. */
export const deleteMembersOfMode = statement(
  "delete_pool_members_of_mode",
  `delete from pool_members m using numbers n
    where m.shard = $1 and m.account_id = $2 and m.pool_id = $3
      and n.id = m.number_id and n.account_id = $2 and n.mode = $4`,
);

/** Members whose mode is not $4. */
export const findMembersOfOtherMode = statement(
  "find_pool_members_of_other_mode",
  `select n.phone_number, n.mode from pool_members m join numbers n on n.id = m.number_id
    where m.shard = $1 and m.account_id = $2 and m.pool_id = $3 and n.mode <> $4
    order by m.position`,
);

export const insertMembers = statement(
  "insert_pool_members",
  `insert into pool_members (shard, account_id, pool_id, number_id, position)
   select $1, $2, $3, g.number_id, g.position
     from unnest($4::uuid[]) with ordinality as g (number_id, position)`,
);

/** Appends a number to these pools, where there is room. */
export const joinPools = statement(
  "join_pools",
  `with joined as (
     update pools p set version = p.version + 1
      where p.shard = $1 and p.account_id = $2 and p.id = any($3::uuid[]) and p.deleted_at is null
        and (select count(*) from pool_members m
              where m.shard = $1 and m.account_id = $2 and m.pool_id = p.id) < $5
     returning p.id
   )
   insert into pool_members (shard, account_id, pool_id, number_id, position)
   select $1, $2, j.id, $4, coalesce((
            select max(m.position) from pool_members m
             where m.shard = $1 and m.account_id = $2 and m.pool_id = j.id), 0) + 1
     from joined j order by j.id
   on conflict do nothing`,
);

export const findDeletedPools = statement(
  "find_deleted_pools",
  `select account_id, id from pools where shard = $1 and deleted_at is not null
    order by deleted_at limit $2`,
);

export const deleteChoices = statement(
  "delete_pool_choices",
  `delete from pool_choices where shard = $1 and account_id = $2 and pool_id = $3
      and (mode, recipient) in (
        select mode, recipient from pool_choices
         where shard = $1 and account_id = $2 and pool_id = $3 limit $4)
   returning 1 as gone`,
);

export const dropDeletedPool = statement(
  "drop_deleted_pool",
  `delete from pools where shard = $1 and account_id = $2 and id = $3 and deleted_at is not null`,
);
