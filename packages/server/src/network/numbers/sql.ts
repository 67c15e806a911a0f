import { statement } from "../../core/db/driver/statement.ts";

/** A number with its pools. The statement around it binds the shard as $1. */
const NUMBER_COLUMNS = `n.*, coalesce((
    select array_agg(m.pool_id order by m.pool_id) from pool_members m
     where m.shard = $1 and m.account_id = n.account_id and m.number_id = n.id), '{}') as pools`;

/** The newest ownership: the active one, if there is one. */
export const findNumberRow = statement(
  "find_number",
  `select ${NUMBER_COLUMNS} from numbers n
    where n.account_id = $2 and n.phone_number = $3 order by n.id desc limit 1`,
);

export const lockNumberRow = statement(
  "lock_number",
  `select ${NUMBER_COLUMNS} from numbers n
    where n.account_id = $2 and n.phone_number = $3 and n.released_at is null
   for update of n`,
);

// Returns no row when the account holds the number already, or any account holds it live.
export const insertNumber = statement(
  "insert_number",
  `insert into numbers (id, account_id, shard, phone_number, mode, type, country, region, locality,
     area_code, carrier, customer_id, sender_state, sender_updated_at, purchased_at, paid_until, charge_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $15)
   on conflict do nothing
   returning *`,
);

export const updateNumber = statement(
  "update_number",
  `update numbers set customer_id = $2, label = $3, tags = $4, sms_url = $5, sms_method = $6
    where id = $1`,
);

export const releaseNumberRow = statement(
  "release_number",
  `update numbers set released_at = $2, charge_at = null, unpaid_since = null
    where id = $1 and released_at is null
   returning *`,
);

export const leavePools = statement(
  "leave_pools",
  `with gone as (
     delete from pool_members where shard = $1 and account_id = $2 and number_id = $3
     returning pool_id
   )
   update pools p set version = p.version + 1 from gone
    where p.shard = $1 and p.account_id = $2 and p.id = gone.pool_id`,
);

export const countAssignedNumbers = statement(
  "count_assigned_numbers",
  `select count(*)::int as numbers from numbers
    where account_id = $1 and customer_id = $2 and released_at is null`,
);

/** Numbers of a list that the account holds. */
export const findHeldPhones = statement(
  "find_held_phones",
  `select phone_number from numbers
    where account_id = $1 and released_at is null and phone_number = any($2::text[])`,
);

/** Locks numbers until commit, so that none is released while it joins a pool. */
export const lockNumberRows = statement(
  "lock_number_rows",
  `select id, phone_number, mode from numbers
    where account_id = $1 and released_at is null and phone_number = any($2::text[])
    order by id for key share`,
);

/** Takes a number out of the stock, if it is there. One of several concurrent buyers gets it. */
export const takeFromStock = statement(
  "take_from_stock",
  `update inventory_numbers set number_id = $2 where phone_number = $1 and number_id is null
   returning type, country, region, locality, area_code, carrier`,
);

/**
 * Takes a ported number out of the stock, also during its cooldown, because it has an owner again.
 */
export const takePortedFromStock = statement(
  "take_ported_from_stock",
  `update inventory_numbers set number_id = $2, cooldown_until = null
    where phone_number = $1 and (number_id is null or cooldown_until is not null)
   returning type, country, region, locality, area_code, carrier`,
);

/** A number in cooldown stays with the ended ownership. */
export const startCooldown = statement(
  "start_stock_cooldown",
  "update inventory_numbers set cooldown_until = $3 where number_id = $1 and phone_number = $2 returning id",
);

export const returnToStock = statement(
  "return_to_stock",
  `update inventory_numbers set number_id = null, cooldown_until = null
    where number_id = $1 and phone_number = $2 and cooldown_until is not null`,
);

export const findCooldown = statement(
  "find_stock_cooldown",
  "select cooldown_until from inventory_numbers where phone_number = $1",
);

export const insertStock = statement(
  "insert_stock",
  `insert into inventory_numbers (phone_number, id, type, country, region, locality, area_code, carrier, grams, created_at)
   select g.phone_number, g.id, g.type, g.country, g.region, g.locality, g.area_code, g.carrier, g.grams, $2
     from jsonb_to_recordset($1::jsonb) as g (phone_number text, id uuid, type text, country text,
       region text, locality text, area_code text, carrier text, grams smallint[])
    where not exists (select from numbers n
           where n.phone_number = g.phone_number and n.mode = 'live' and n.released_at is null)
    order by g.phone_number
   on conflict (phone_number) do nothing
   returning 1 as added`,
);

const SENDER_COLUMNS = `n.id, n.account_id, n.shard, n.phone_number, n.mode, n.type, n.country,
  n.area_code, n.customer_id, n.registration_id, n.sender_state,
  n.unpaid_since is not null as unpaid`;

export const findSenderRow = statement(
  "find_sender",
  `select ${SENDER_COLUMNS} from numbers n
    where n.account_id = $1 and n.phone_number = $2 and n.released_at is null`,
);

/**
 * Active numbers by pairs of account ($1) and E.164 ($2). The limit forces an index lookup per
 * pair, even with a plan made while the table was small.
 */
export const findSenderRows = statement(
  "find_senders",
  `select n.* from unnest($1::uuid[], $2::text[]) as i (account_id, phone_number)
    cross join lateral (
      select ${SENDER_COLUMNS} from numbers n
       where n.account_id = i.account_id and n.phone_number = i.phone_number and n.released_at is null limit 1
    ) n`,
);

/** Owner of an inbound message's number: live numbers have one owner. */
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
    where p.shard = $1 and p.account_id = $2 and p.id = $3 and p.deleted_at is null
    order by m.position`,
);

export const findPoolChoice = statement(
  "find_pool_choice",
  `select number_id from pool_choices
    where shard = $1 and account_id = $2 and pool_id = $3 and mode = $4 and recipient = $5`,
);

// A choice is valid while its number is a member; otherwise the candidate replaces it, if it is a
// member itself. Concurrent first choices for one recipient conflict on the key: the later one
// returns no row, and finds the earlier one on the next call.
export const chooseMembers = statement(
  "choose_pool_members",
  `with given as (
     select g.ord, g.account_id, g.pool_id, g.mode, g.recipient, g.number_id,
            c.number_id as chosen,
            exists (select 1 from pool_members m
                     where m.shard = $1 and m.account_id = any($2::uuid[])
                       and m.account_id = g.account_id and m.pool_id = g.pool_id
                       and m.number_id = c.number_id) as holds,
            exists (select 1 from pool_members m
                     where m.shard = $1 and m.account_id = any($2::uuid[])
                       and m.account_id = g.account_id and m.pool_id = g.pool_id
                       and m.number_id = g.number_id) as fits
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
        and c.number_id = g.chosen and g.chosen is not null and not g.holds and g.fits
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

/** Claims one number whose month ends, or whose owed price is due for a retry. */
export const claimNumberToCharge = statement(
  "claim_number_to_charge",
  `select * from numbers where shard = $1 and charge_at <= $2
    order by charge_at limit 1 for update skip locked`,
);

// Skips rows that another transaction is charging.
export const claimUnpaidNumbers = statement(
  "claim_unpaid_numbers",
  `select * from numbers where account_id = $1 and unpaid_since is not null and released_at is null
    order by unpaid_since, id limit $2 for update skip locked`,
);

export const setNumberPaid = statement(
  "set_number_paid",
  "update numbers set paid_until = $2, charge_at = $2, unpaid_since = null where id = $1",
);

export const setNumberUnpaid = statement(
  "set_number_unpaid",
  "update numbers set unpaid_since = paid_until, charge_at = $2 where id = $1",
);
