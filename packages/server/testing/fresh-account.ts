import { after } from "node:test";
import pg from "pg";
import { superuserOf, testCluster } from "./cluster.ts";
import { accountKit, type Kit, type KitOptions, type Lifetime, startKit } from "./kit.ts";

/** The server of the file that runs now: files of one process run one after the other. */
let open: { readonly owner: object; close(): Promise<void> } | null = null;

async function close(): Promise<void> {
  const last = open;
  open = null;
  await last?.close();
}

/**
 * One server for the tests of a file, and an account of its own for each. `kit.rows` sees the account's rows alone;
 * tables without an account, the clock and the operator's calls are shared. A test that needs more than that, such as
 * an empty installation, starts its own server with `startKit`.
 */
export function freshAccounts(
  env: Readonly<Record<string, string>> = {},
  options: KitOptions = {},
): (t: Lifetime) => Promise<Kit> {
  const owner = {};
  let started: Promise<Kit> | null = null;
  after(async () => {
    if (open?.owner === owner) await close();
  });
  const start = async () => {
    await close();
    const takeDowns: (() => Promise<void>)[] = [];
    open = {
      owner,
      async close() {
        for (const takeDown of takeDowns.reverse()) await takeDown();
      },
    };
    const kit = await startKit(
      { after: (takeDown) => void takeDowns.push(takeDown) },
      env,
      options,
    );
    await createViews(kit);
    return kit;
  };
  return async (t) => {
    // Views on distributed tables would be distributed, too.
    if ((await testCluster()).workers) return startKit(t, env, options);
    started ??= start();
    return accountKit(t, await started, OWN_ROWS);
  };
}

/** Schema with a view of each table that has accounts: the rows of the account that the connection names. */
const OWN_ROWS = "own_rows";
const CREATE_VIEWS = `
create schema ${OWN_ROWS};
do $$
declare name text;
begin
  for name in
    select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a
                    where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
  loop
    execute format(
      'create view ${OWN_ROWS}.%I as select * from public.%I where account_id = current_setting(''test.account'')::uuid',
      name, name);
  end loop;
  create view ${OWN_ROWS}.accounts as select * from public.accounts
   where id = current_setting('test.account')::uuid;
end $$`;

async function createViews(kit: Kit): Promise<void> {
  const client = new pg.Client(await superuserOf(kit.connection));
  await client.connect();
  try {
    await client.query(CREATE_VIEWS);
  } finally {
    await client.end();
  }
}
