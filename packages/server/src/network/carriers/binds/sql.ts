import { statement } from "../../../core/db/driver/statement.ts";

/** Seconds until an unrenewed lease expires. A bind moves within 10 seconds of a crash. */
export const BIND_LEASE_SECONDS = 8;
const LEASE_END = `statement_timestamp() + interval '${BIND_LEASE_SECONDS} seconds'`;
/** Attempts to reconnect leave the time since which a bind is not up. */
const SINCE = (isUp: string) =>
  `case when (b.state = 'up') = (${isUp}) then b.since else statement_timestamp() end`;
const IS_FREE = "(b.lease_until is null or b.lease_until < statement_timestamp())";

/**
 * Takes one free bind of a carrier, if there is one. $1 carrier, $2 number of binds, $3 new owner,
 * $4 owner as shown to operators. Each new owner increments the epoch.
 */
export const takeBind = statement(
  "take_carrier_bind",
  `insert into carrier_binds as b (carrier, bind, leased_by, lease_epoch, lease_until, owner, state, since)
   select $1, g.bind, $3, 1, ${LEASE_END}, $4, 'connecting', statement_timestamp()
     from generate_series(1, $2::int) as g (bind)
     left join carrier_binds b on b.carrier = $1 and b.bind = g.bind
    where b.carrier is null or ${IS_FREE}
    order by g.bind limit 1
   on conflict (carrier, bind) do update
      set leased_by = excluded.leased_by, lease_epoch = b.lease_epoch + 1, lease_until = excluded.lease_until,
          owner = excluded.owner, state = excluded.state, since = ${SINCE("false")}, in_flight = 0, last_error = null,
          next_try_at = null
    where ${IS_FREE}
   returning bind, lease_epoch`,
);

/**
 * Renews a lease and stores the bind's state. Returns no row when another process owns the bind.
 */
export const renewBind = statement(
  "renew_carrier_bind",
  `update carrier_binds b
      set lease_until = ${LEASE_END}, in_flight = $6, last_error = $7, state = $5,
          since = ${SINCE("$5 = 'up'")},
          next_try_at = statement_timestamp() + $8::float8 * interval '1 millisecond'
    where carrier = $1 and bind = $2 and leased_by = $3 and lease_epoch = $4
   returning bind`,
);

export const releaseBind = statement(
  "release_carrier_bind",
  `update carrier_binds b set lease_until = null, leased_by = null, owner = null, state = 'down',
          since = ${SINCE("false")}, in_flight = 0, next_try_at = null
    where carrier = $1 and bind = $2 and leased_by = $3 and lease_epoch = $4`,
);

/** A bind as its owner last reported it. Binds with an expired lease are listed as down. */
export interface BindRow {
  readonly carrier: string;
  readonly bind: number;
  readonly leased_by: string | null;
  readonly owner: string | null;
  readonly state: "up" | "connecting" | "down";
  readonly since: number;
  readonly in_flight: number;
  readonly last_error: string | null;
  readonly next_try_at: number | null;
}

/** States of all binds of the installation, whichever process owns them. */
export const listBinds = statement(
  "list_carrier_binds",
  `select b.carrier, b.bind, b.since, b.last_error,
          case when ${IS_FREE} then 'down' else b.state end as state,
          case when ${IS_FREE} then null else b.next_try_at end as next_try_at,
          case when ${IS_FREE} then null else b.owner end as owner,
          case when ${IS_FREE} then null else b.leased_by end as leased_by,
          case when ${IS_FREE} then 0 else b.in_flight end as in_flight
     from carrier_binds b where b.carrier = any($1::text[]) order by b.carrier, b.bind`,
);

/** Deletes binds that the carriers file no longer contains. */
export const forgetBinds = statement(
  "forget_carrier_binds",
  `delete from carrier_binds b where b.carrier = $1 and b.bind > $2::int and ${IS_FREE}`,
);
