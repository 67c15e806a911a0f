-- Stored usage of the calendar days of any time zone, by the zone's offset from UTC on that day.
-- Days with a clock change are not stored.
alter table usage_days add column utc_offset_minutes smallint not null default 0;
alter table usage_days drop constraint usage_days_pkey;
alter table usage_days add primary key (shard, account_id, customer_id, mode, utc_offset_minutes, day);
