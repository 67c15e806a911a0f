import type { Kit } from "./kit.ts";

/** Tables that name no account: their rows belong to a batch or a message of it. */
const OWNED_BY_PARENT: Readonly<Record<string, string>> = {
  batch_recipients: "exists (select from batches b where b.id = t.batch_id)",
  carrier_inbox: "exists (select from messages m where m.id = t.message_id)",
};

/**
 * Tables of the account with the words in any column. The audit log keeps what it says; the request log's buffer is
 * written in real time, which the test clock outruns. Stored answers are read as text.
 */
export async function tablesWith(kit: Kit, words: string): Promise<string[]> {
  const tables = await kit.rows(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and c.relname not in ('audit_log', 'request_log') order by 1`,
  );
  const names = [...tables.map(({ name }) => name), ...Object.keys(OWNED_BY_PARENT)];
  const found: string[] = [];
  for (const name of names) {
    const json =
      name === "idempotency_keys"
        ? "to_jsonb(t)::text || coalesce(convert_from(t.response, 'UTF8'), '')"
        : "to_jsonb(t)::text";
    const [{ rows }] = await kit.rows(
      `select count(*)::int as rows from ${name} t
        where position('${words}' in ${json}) > 0 and ${OWNED_BY_PARENT[name] ?? "true"}`,
    );
    if (rows > 0) found.push(name);
  }
  return found;
}
