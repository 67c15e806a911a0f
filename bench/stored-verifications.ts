import pg from "pg";
import type { Server } from "./server.ts";

const EXCHANGES = 690;

/** Phone of an area code, spread over its exchanges. */
export function phoneAt(area: number, index: number): string {
  const exchange = 220 + (index % EXCHANGES);
  const line = Math.floor(index / EXCHANGES);
  const isServiceCode = exchange % 100 === 11 || exchange === 976;
  return `+1${area}${isServiceCode ? exchange + 1 : exchange}${String(line * 13 + (isServiceCode ? 7 : 0)).padStart(4, "0")}`;
}

/**
 * Stores pending verifications of the first account, with all their rows, directly in the database. Each
 * phone got a code a second ago; the phones cover the areas exchange by exchange.
 */
export async function storeVerifications(
  server: Server,
  areas: readonly number[],
  count: number,
): Promise<void> {
  const list = areas.join(",");
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(`
    create temporary table given as
      select a.shard, a.account_id, p.phone, p.n, now() - interval '1 second' as at
        from account_counters a, (
          select n, '+1' || area || exchange + is_service_code
                 || lpad((line * 13 + 7 * is_service_code)::text, 4, '0') as phone
            from (select n, (array[${list}])[1 + n % ${areas.length}] as area,
                         220 + (n / ${areas.length}) % ${EXCHANGES} as exchange,
                         n / ${areas.length * EXCHANGES} as line
                    from generate_series(0, ${count - 1}) as n) x,
                 lateral (select (exchange % 100 = 11 or exchange = 976)::int as is_service_code) y) p;
    alter table given add column id uuid;
    update given set id = (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
      || substr(replace(gen_random_uuid()::text, '-', ''), 1, 15))::uuid;
    insert into verifications (shard, account_id, id, mode, phone, status, simulated, created_at,
        expires_at, decision_id)
      select shard, account_id, id, 'test', phone, 'pending', true, at, at + interval '1 day', id
        from given order by id;
    insert into verification_phones (shard, account_id, mode, phone, verification_id, sent_at_ms, updated_at)
      select shard, account_id, 'test', phone, id, array[(extract(epoch from at) * 1000)::bigint], at
        from given;
    insert into verification_decisions (shard, account_id, id, mode, phone, verification_id, allowed,
        seen, created_at)
      select shard, account_id, id, 'test', phone, id, true, '', at from given order by id;
    insert into verification_counters (shard, account_id, mode, key, bucket, started, sent)
      select shard, account_id, 'test', key, to_timestamp(floor(extract(epoch from now()) / 300) * 300),
             count(*), count(*)
        from given, lateral (values ('prefix ' || left(phone, 9)), ('tens ' || left(phone, 11))) as k (key)
       group by shard, account_id, key;
    drop table given`);
  // A separate statement: the others run in one transaction.
  await client.query("checkpoint");
  await client.end();
}
