/**
 * Which test files run on Citus: those of the server, but for these, which look at what is otherwise there or
 * start a PostgreSQL of their own.
 */
const NOT_THERE: readonly { readonly part: string; readonly why: string }[] = [
  { part: "src/db/embedded/", why: "the embedded PostgreSQL has no Citus" },
  { part: "src/db/partitions.test", why: "names the tables of rows, which are a shard's there" },
  { part: "src/db/retention.test", why: "compares with the tables of one PostgreSQL" },
  { part: "src/db/schema.test", why: "compares with the tables of one PostgreSQL" },
  { part: "src/db/upgrade.test", why: "makes the database of an older version on one PostgreSQL" },
  { part: "src/db/shard-check.test", why: "compares with the tables of one PostgreSQL" },
  { part: "src/db/roles.test", why: "the tests' Citus has one role" },
  { part: "src/startup/", why: "starts programs on a PostgreSQL of its own" },
  { part: "test/kills/", why: "starts programs on a PostgreSQL of its own" },
];

export function isForCitus(path: string): boolean {
  return path.startsWith("packages/server/") && !NOT_THERE.some(({ part }) => path.includes(part));
}
