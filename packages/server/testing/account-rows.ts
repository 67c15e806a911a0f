import { toApiId } from "../src/core/platform/ids.ts";
import type { Kit } from "./kit.ts";

/** Tables that a refused request writes by design: the request log, and when a key was last used. */
const WRITTEN_BY_REFUSALS = ["request_log", "api_keys"];

/** One line per row of the account, over all tables, sorted. */
export async function accountRows(kit: Kit): Promise<readonly string[]> {
  const tables = await kit.rows(
    `select c.relname as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relkind in ('r', 'p') and not c.relispartition order by c.relname`,
  );
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !WRITTEN_BY_REFUSALS.includes(name));
  if (names.length === 0) throw new Error("No table has an account.");
  const each = names.map(
    (name) =>
      `select '${name} ' || t::text as line from ${name} t where t.account_id = '${kit.account.id}'`,
  );
  const rows = await kit.rows(`${each.join(" union all ")} order by line`);
  return rows.map(({ line }) => line);
}

export function accountApiId(kit: Kit): string {
  return toApiId("account", kit.account.id);
}
