import assert from "node:assert/strict";
import { describe, it } from "node:test";
import "../../../app/assemble.ts";
import "../../../app/handlers.ts";
import "../../../app/lanes.ts";
import "../../../app/serve.ts";
import "../../../app/tasks.ts";
import { SHARD_NODES } from "../../../../testing/citus-tables.ts";
import { ownedTables } from "../../../../testing/shard-guard.ts";
import { suiteKit } from "../../../../testing/suite.ts";
import { FUNCTIONS } from "../../../app/functions.ts";
import { allStatements, type Statement } from "../driver/statement.ts";
import { statementWithoutShard, tablesWithShard } from "./shard-check.ts";

/** Directories outside the shards: small, and complete on every node. */
const GLOBAL_TABLES = [
  "account_deletions",
  "accounts",
  "api_keys",
  "carrier_binds",
  "carrier_polls",
  "carrier_short_references",
  "carrier_traffic",
  "carrier_unowned",
  "clock_followers",
  "clock_lease",
  "console_addresses",
  "console_links",
  "console_notices",
  "console_sessions",
  "console_views",
  "database_identity",
  "installation",
  "inventory_numbers",
  "lookup_findings",
  "memberships",
  "numbering_loads",
  "numbering_ranges",
  "numbers",
  "operator_tokens",
  "passkey_challenges",
  "passkeys",
  "prices",
  "quiet_laws",
  "periodic_tasks",
  "port_requests",
  "schema_migrations",
  "users",
  "workers",
];

const OWNED = new Set(["messages", "events", "jobs"]);

/** A statement, and the table for which the check refuses it. */
// biome-ignore format: read as a table
const CASES: readonly [text: string, refusedFor: string | null][] = [
  ["select * from messages where shard = $1 and id = $2", null],
  ["select * from messages where id = $1", "messages"],
  ["SELECT * FROM Messages WHERE id = $1", "messages"],
  ["select * from only messages where id = $1", "messages"],
  ["select * from accounts where id = $1", null],
  ["select m.* from messages m where m.shard = $1", null],
  ["select m.* from messages as m where shard = $1", null],
  ["select m.* from messages m where m.account_id = $1", "messages"],
  ["select * from messages where -- shard = $1\n id = $2", "messages"],
  ["select * from messages where /* shard = $1 */ id = $2", "messages"],
  ["select 'shard = $1' from messages", "messages"],
  ["select * from messages where shard = 0", "messages"],
  ["select * from messages where shard in ($1, $2)", "messages"],
  ["select * from messages m join events e on e.id = m.id where m.shard = $1", "events"],
  ["select * from messages m join events e on e.shard = $1 and e.id = m.id where m.shard = $1", null],
  ["select * from messages m join events e on e.shard = m.shard where m.shard = $1", null],
  ["select * from messages m, events e where m.shard = $1", "events"],
  ["select * from messages m, events e where m.shard = $1 and e.shard = m.shard", null],
  ["select * from accounts a join messages m on m.account_id = a.id", "messages"],
  ["select * from accounts a left join messages m on m.shard = a.shard and m.account_id = a.id", null],
  ["select (select count(*) from events) from messages where shard = $1", "messages"],
  ["with messages as (select 1) select * from messages", null],
  ["with m as materialized (select * from messages) select * from m", "messages"],
  ["with m (a) as (select 1 from messages where shard = $1) select * from m", null],
  ["select * from jsonb_to_recordset($1) as messages (id int)", null],
  ["select * from unnest($1::text[]) as x join events e on e.shard = $2 and e.id = x", null],
  ["select * from messages where shard = $1 for update of messages skip locked", null],
  ["select * from messages m where m.shard = $1 for no key update of m", null],
  ["select extract(epoch from created_at) from messages where shard = $1", null],
  ["select 1 from messages where shard = $1 and body is distinct from $2", null],
  ["update messages set status = $1 where id = $2", "messages"],
  ["update messages m set status = $2 where m.shard = $1", null],
  ["update messages m set status = e.type from events e where m.shard = $1 and m.id = e.id", "events"],
  ["delete from messages where id = $1", "messages"],
  ["delete from messages where shard = $1", null],
  ["delete from messages m using events e where m.shard = $1 and e.id = m.id", "events"],
  ["insert into messages (shard, id) values ($1, $2)", null],
  ["insert into messages as m (shard, id) values ($1, $2) on conflict (shard, id) do update set id = $2", null],
  ["insert into messages (id, shard) values ($1, $2)", "messages"],
  ["insert into messages select $1, $2", "messages"],
  ["insert into messages (shard, id) select $1, id from events", "events"],
  ["with gone as (delete from jobs where shard = $1 returning id) insert into messages (shard, id) select $1, id from gone", null],
];

describe("shard check", () => {
  for (const [text, refusedFor] of CASES) {
    it(`${refusedFor ? "refuses" : "passes"}: ${text.replaceAll("\n", "\\n")}`, () => {
      assert.equal(statementWithoutShard({ name: "x", text }, OWNED), refusedFor);
    });
  }

  it("accepts statements that give a reason", () => {
    const text = "select * from messages";
    assert.equal(statementWithoutShard({ name: "x", text, acrossShards: "why" }, OWNED), null);
  });

  it("finds the tables in the migrations", () => {
    const text = `
      create table a (
        shard integer not null,
        id uuid check (id is not null),
        primary key (shard, id)
      ) partition by range (id);
      create unlogged table b (
        shard integer not null,
        primary key (shard)
      );
      create table c (
        id uuid primary key,
        shard integer
      );`;
    assert.deepEqual([...tablesWithShard(text)], ["a", "b"]);
  });
});

describe("every statement of the server", () => {
  it("names the shard of every account-owned table, or gives a reason", () => {
    // Each statement of a function has to name the shard itself.
    const inside = FUNCTIONS.flatMap(({ name, text }) =>
      text.split(";").map((part): Statement => ({ name, text: part })),
    );
    const statements = [...allStatements(), ...inside];
    assert.ok(statements.length > 200, `only ${statements.length} statements were seen`);
    const bad = statements
      .map((one) => ({ name: one.name, table: statementWithoutShard(one, ownedTables) }))
      .filter((one) => one.table !== null);
    assert.deepEqual(bad, []);
  });
});

describe("every table", () => {
  const kit = suiteKit({ LONGWAVE_ROLES: "api" });

  it("is a directory, or starts every key with the shard", async () => {
    const tables = await kit().rows(
      `select c.relname as name from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
          and not c.relispartition and c.relname <> '${SHARD_NODES}'`,
    );
    const names: string[] = tables.map((row) => row.name);
    assert.deepEqual(
      new Set(names.filter((name) => !ownedTables.has(name))),
      new Set(GLOBAL_TABLES),
      "a new table has the shard first in its primary key, or belongs in this list",
    );
    const keys = await kit().rows(
      `select c.relname as table, i.relname as index, a.attname as first
         from pg_index x
         join pg_class c on c.oid = x.indrelid
         join pg_class i on i.oid = x.indexrelid
         left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where c.relnamespace = current_schema()::regnamespace and not c.relispartition
          and x.indisunique`,
    );
    for (const key of keys.filter((one) => ownedTables.has(one.table))) {
      assert.equal(key.first, "shard", `${key.index} on ${key.table}`);
    }
  });
});
