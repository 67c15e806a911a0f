import type pg from "pg";

/**
 * How tables lie on Citus. Those whose key begins with the shard are distributed by it, all of them
 * together (colocated): all rows of one shard are on one worker. Directories that their rows are joined with are
 * reference tables, a copy on every node. What is left is the coordinator's own.
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
  /** The tables that its foreign keys point to. */
  readonly points_to: readonly string[];
  /** What Citus has made of it so far. */
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

/** Tables in an order in which each comes after those that its foreign keys point to. */
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
