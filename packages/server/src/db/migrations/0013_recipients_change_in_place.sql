-- Every recipient changes once soon after it was written. Pages with room for that keep both in one
-- place, without another entry in the key's index. Partitions to come are made with it.
do $$
declare
  name regclass;
begin
  for name in select inhrelid::regclass from pg_inherits where inhparent = 'batch_recipients'::regclass loop
    execute format('alter table %s set (fillfactor = 45)', name);
  end loop;
end $$;
