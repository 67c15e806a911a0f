import { statement } from "../db/statement.ts";

const SENDER_COLUMNS = `n.id, n.account_id, n.shard, n.phone_number, n.mode, n.type, n.country,
  n.area_code, n.customer_id, n.registration_id, n.sender_state,
  n.unpaid_since is not null as unpaid`;

export const findSenderRow = statement(
  "find_sender",
  `select ${SENDER_COLUMNS} from numbers n
    where n.account_id = $1 and n.phone_number = $2 and n.released_at is null`,
);

/** Whom a text that a carrier brings is for: live numbers have one owner. */
export const findLiveSenderRow = statement(
  "find_live_sender",
  `select ${SENDER_COLUMNS} from numbers n
    where n.phone_number = $1 and n.mode = 'live' and n.released_at is null`,
);

export const findPoolMembers = statement(
  "find_pool_members",
  `select p.version, ${SENDER_COLUMNS}
     from pools p
     left join pool_members m on m.shard = p.shard and m.account_id = p.account_id and m.pool_id = p.id
     left join numbers n on n.id = m.number_id and n.released_at is null
    where p.shard = $1 and p.account_id = $2 and p.id = $3
    order by m.position`,
);

export const findPoolChoice = statement(
  "find_pool_choice",
  `select number_id from pool_choices
    where shard = $1 and account_id = $2 and pool_id = $3 and mode = $4 and recipient = $5`,
);

// A choice holds while its number is a member; otherwise the candidate takes its place, if it is a
// member itself. Two first choices for one recipient meet at the key: the later one comes back
// without a row, and finds the earlier one when it asks again.
export const chooseMembers = statement(
  "choose_pool_members",
  `with given as (
     select g.ord, g.account_id, g.pool_id, g.mode, g.recipient, g.number_id,
            c.number_id as chosen,
            exists (select 1 from pool_members m where m.shard = $1 and m.account_id = g.account_id
                       and m.pool_id = g.pool_id and m.number_id = c.number_id) as holds,
            exists (select 1 from pool_members m where m.shard = $1 and m.account_id = g.account_id
                       and m.pool_id = g.pool_id and m.number_id = g.number_id) as fits
       from jsonb_to_recordset($3::jsonb) as g
              (ord int, account_id uuid, pool_id uuid, mode text, recipient text, number_id uuid)
       left join pool_choices c on c.shard = $1 and c.account_id = any($2::uuid[])
         and c.account_id = g.account_id and c.pool_id = g.pool_id and c.mode = g.mode
         and c.recipient = g.recipient
   ), replaced as (
     update pool_choices c set number_id = g.number_id, chosen_at = $4
       from given g
      where c.shard = $1 and c.account_id = any($2::uuid[]) and c.account_id = g.account_id
        and c.pool_id = g.pool_id and c.mode = g.mode and c.recipient = g.recipient
        and c.number_id = g.chosen and not g.holds and g.fits
     returning c.account_id, c.pool_id, c.mode, c.recipient, c.number_id
   ), made as (
     insert into pool_choices (shard, account_id, pool_id, mode, recipient, number_id, chosen_at)
     select $1, g.account_id, g.pool_id, g.mode, g.recipient, g.number_id, $4
       from given g where g.chosen is null and g.fits
      order by g.account_id, g.pool_id, g.mode, g.recipient
     on conflict do nothing
     returning account_id, pool_id, mode, recipient, number_id
   )
   select g.ord, case when g.holds then g.chosen else coalesce(r.number_id, m.number_id) end as number_id
     from given g
     left join replaced r on r.account_id = g.account_id and r.pool_id = g.pool_id
       and r.mode = g.mode and r.recipient = g.recipient
     left join made m on m.account_id = g.account_id and m.pool_id = g.pool_id
       and m.mode = g.mode and m.recipient = g.recipient`,
);
