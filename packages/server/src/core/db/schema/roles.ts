import type pg from "pg";

/**
 * Two roles use the database. The owner creates and changes tables: migrations and partitions. The application does
 * everything else. It owns no table and cannot change append-only ones, not even through SQL injection.
 */

/** Tables with INSERT and SELECT only. */
export const APPEND_ONLY_TABLES = [
  "ledger_entries",
  "consent_ledger",
  "events",
  "audit_log",
] as const;

/** Tables with SELECT only. */
const READ_ONLY_TABLES = ["schema_migrations"] as const;

/**
 * Grants the application its rights on every table where they differ: on Citus each grant runs on every shard.
 * Partitions get no rights, because access through the parent table checks the parent's rights only.
 */
const GRANTS = `
do $$
declare
  app text := current_setting('longwave.app_role');
  here text := current_schema();
  relation record;
  wanted text[];
begin
  execute format('grant usage on schema %I to %I', here, app);
  for relation in
    select c.relname as name, c.relispartition as is_partition,
           array(select a.privilege_type from aclexplode(c.relacl) a
                  where a.grantee = quote_ident(app)::regrole order by 1) as given
      from pg_class c
     where c.relnamespace = here::regnamespace and c.relkind in ('r', 'p')
  loop
    wanted := case
      when relation.is_partition then array[]::text[]
      when relation.name = any (string_to_array(current_setting('longwave.append_only'), ',')) then array['INSERT', 'SELECT']
      when relation.name = any (string_to_array(current_setting('longwave.read_only'), ',')) then array['SELECT']
      else array['DELETE', 'INSERT', 'SELECT', 'UPDATE']
    end;
    continue when relation.given = wanted;
    execute format('revoke all on table %I.%I from %I', here, relation.name, app);
    continue when cardinality(wanted) = 0;
    execute format('grant %s on table %I.%I to %I', array_to_string(wanted, ', '), here, relation.name, app);
  end loop;
  execute format('grant usage on all sequences in schema %I to %I', here, app);
end $$`;

/**
 * Runs as the owner after every migration: new tables get their rights, existing ones keep them.
 */
export async function grantApplication(owner: pg.Client, role: string): Promise<void> {
  await owner.query("begin");
  try {
    const settings = {
      app_role: role,
      append_only: APPEND_ONLY_TABLES.join(","),
      read_only: READ_ONLY_TABLES.join(","),
    };
    for (const [name, value] of Object.entries(settings)) {
      await owner.query("select set_config($1, $2, true)", [`longwave.${name}`, value]);
    }
    await owner.query(GRANTS);
    await owner.query("commit");
  } catch (error) {
    await owner.query("rollback");
    throw error;
  }
}
