import assert from "node:assert/strict";

type Rows = (text: string) => Promise<unknown[]>;

/** Counted messages: verification codes of the service are not the account's. */
const MESSAGES = "messages where not from_service";

/** Stored counters, each with a query for rows that differ from a recount. */
const MISCOUNTED: Readonly<Record<string, string>> = {
  "a batch counts its recipients": `
    select b.id, to_json(b) as stored, to_json(r) as counted
      from batches b left join (
        select shard, batch_id, count(*) as total, count(*) filter (where state = 'waiting') as waiting,
               count(*) filter (where state = 'handed') as handed, count(*) filter (where state = 'retrying') as retrying,
               count(*) filter (where state = 'sent') as sent, count(*) filter (where state = 'failed') as failed,
               count(*) filter (where state = 'skipped') as skipped
          from batch_recipients group by shard, batch_id) r on r.shard = b.shard and r.batch_id = b.id
     where (b.total, b.waiting, b.handed, b.retrying, b.sent, b.failed, b.skipped) is distinct from
           (r.total, r.waiting, r.handed, r.retrying, r.sent, r.failed, r.skipped)`,
  "an hour counts the outcomes of messages sent in it, within the retention of hours": `
    select to_json(d) as stored, to_json(m) as counted
      from delivery_hours d full join (
        select shard, account_id, mode, date_trunc('hour', sent_at, 'UTC') as hour, from_number as number,
               coalesce(carrier, '') as carrier, count(*) as sent, count(*) filter (where status = 'delivered') as delivered,
               count(*) filter (where status = 'failed') as undelivered
          from ${MESSAGES} and direction = 'outbound' and sent_at >= (select min(hour) from delivery_hours)
         group by 1, 2, 3, 4, 5, 6) m using (shard, account_id, mode, hour, number, carrier)
     where (d.sent, d.delivered, d.undelivered) is distinct from (m.sent, m.delivered, m.undelivered)`,
  "an hour counts the verifications started in it, within the retention of hours": `
    select to_json(h) as stored, to_json(v) as counted
      from verification_hours h full join (
        select shard, account_id, mode, date_trunc('hour', created_at, 'UTC') as hour, count(*) as started
          from verifications where created_at >= (select min(hour) from verification_hours)
         group by 1, 2, 3, 4) v using (shard, account_id, mode, hour)
     where h.started is distinct from v.started`,
  "a day of usage counts its messages and their cost": `
    select to_json(u) as stored, to_json(m) as counted
      from usage_days u left join (
        select shard, account_id, mode, (created_at at time zone 'UTC')::date as day,
               count(*) filter (where direction = 'outbound') as outbound, count(*) filter (where direction = 'inbound') as inbound,
               coalesce(sum(price_micros) filter (where direction = 'outbound'), 0) as outbound_micros,
               coalesce(sum(price_micros) filter (where direction = 'inbound'), 0) as inbound_micros
          from ${MESSAGES} group by 1, 2, 3, 4) m using (shard, account_id, mode, day)
     where u.customer_id = '00000000-0000-0000-0000-000000000000'
       and (u.outbound, u.inbound, u.outbound_micros, u.inbound_micros) is distinct from
           (coalesce(m.outbound, 0), coalesce(m.inbound, 0), coalesce(m.outbound_micros, 0), coalesce(m.inbound_micros, 0))`,
  "an account counts the live messages of its day and the free ones of its month": `
    select to_json(c) as stored, to_json(m) as counted
      from account_counters c cross join lateral (
        select count(*) filter (where (created_at at time zone 'UTC')::date = c.quota_day) as quota_used,
               count(*) filter (where billing = 'allowance'
                 and date_trunc('month', created_at at time zone 'UTC')::date = c.allowance_month) as texts_used
          from ${MESSAGES} and direction = 'outbound' and mode = 'live' and shard = c.shard and account_id = c.account_id) m
     where (c.quota_used, c.texts_used) is distinct from (m.quota_used, m.texts_used)`,
  "an account numbers its audit entries and consents without a gap": `
    select to_json(c) as stored, a.n as audited, o.n as consents
      from account_counters c
     cross join lateral (select count(*) as n, coalesce(max(seq), 0) as last from audit_log
                          where shard = c.shard and account_id = c.account_id) a
     cross join lateral (select count(*) as n, coalesce(max(seq), 0) as last from consent_ledger
                          where shard = c.shard and account_id = c.account_id and mode = 'live') o
     cross join lateral (select count(*) as n, coalesce(max(seq), 0) as last from consent_ledger
                          where shard = c.shard and account_id = c.account_id and mode = 'test') s
     where (c.audit_seq, c.audit_seq, c.consent_seq, c.consent_seq, c.sandbox_consent_seq, c.sandbox_consent_seq)
           is distinct from (a.n, a.last, o.n, o.last, s.n, s.last)`,
};

/** Asserts that every stored counter equals a recount. Call it when no work is in progress. */
export async function assertCountersMatch(rows: Rows): Promise<void> {
  for (const [rule, text] of Object.entries(MISCOUNTED)) {
    assert.deepEqual(await rows(`${text} limit 3`), [], rule);
  }
}
