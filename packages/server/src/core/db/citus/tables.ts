import type pg from "pg";

/**
 * Placement of a table on Citus. `distributed`: the key starts with the shard; all such tables are colocated, so one
 * worker has all rows of a shard. `reference`: a directory joined with them, copied to every node. `local`: on the
 * coordinator only.
 */
export type Kind = "distributed" | "reference" | "local";

const REFERENCE_TABLES = new Set([
  "accounts",
  "api_keys",
  "installation",
  "memberships",
  "numbers",
  "users",
]);

export interface Table {
  readonly name: string;
  /** The first column of its primary key. */
  readonly first_key: string | null;
  /** Tables that its foreign keys reference. */
  readonly points_to: readonly string[];
  /** Whether Citus manages the table already. */
  readonly is_known: boolean;
}

const TABLES = `
  select c.relname as name,
         (select a.attname from pg_index i
            join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
           where i.indrelid = c.oid and i.indisprimary) as first_key,
         array(select distinct p.relname::text from pg_constraint f
                 join pg_class p on p.oid = f.confrelid
                where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as points_to,
         exists (select from pg_dist_partition d where d.logicalrelid = c.oid) as is_known
    from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
     and not c.relispartition
   order by c.relname`;

export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  return (await client.query<Table>(TABLES)).rows;
}

export function kindOf({ name, first_key }: Table): Kind {
  if (first_key === "shard") return "distributed";
  return REFERENCE_TABLES.has(name) ? "reference" : "local";
}

/** Orders tables so that each follows the tables its foreign keys reference. */
export function inOrder(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<Table>();
  const add = (table: Table) => {
    for (const name of table.points_to) {
      const other = byName.get(name);
      if (other && !ordered.has(other)) add(other);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}
