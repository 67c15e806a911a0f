import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { SHARD_NODES, withoutShardNumber } from "../../../../testing/citus-tables.ts";
import { startKit } from "../../../../testing/kit.ts";
import { forgetOld, leaveTraffic } from "../../../../testing/retention-fixtures.ts";
import { suiteKit } from "../../../../testing/suite.ts";
import { RETENTION } from "./retention.ts";

const DAY_SECONDS = 86_400;
const API_ONLY = { LONGWAVE_ROLES: "api" };

describe("retention table", () => {
  const kit = suiteKit(API_ONLY);

  it("names every table of the schema and no other", async () => {
    const rows = await kit().rows(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and relname <> '${SHARD_NODES}'`,
    );
    assert.deepEqual(new Set(Object.keys(RETENTION)), new Set(rows.map((row) => row.name)));
  });

  it("partitions exactly the tables of kind `partition`", async () => {
    const rows = await kit().rows(
      "select c.relname as name, pg_get_partkeydef(c.oid) as key from pg_partitioned_table p join pg_class c on c.oid = p.partrelid",
    );
    const named = Object.entries(RETENTION).flatMap(([table, kept]) =>
      kept.by === "partition" ? [`${table} RANGE (${kept.key})`] : [],
    );
    assert.deepEqual(new Set(named), new Set(rows.map((row) => `${row.name} ${row.key}`)));
  });

  it("sweeps along an index, reading only the rows it deletes", async () => {
    const indexes = await kit().rows(
      "select tablename, indexdef from pg_indexes where schemaname = 'public'",
    );
    for (const [table, kept] of Object.entries(RETENTION)) {
      if (kept.by !== "sweep") continue;
      for (const { age } of kept.rules) {
        const walked = indexes.some(
          (index) =>
            index.tablename === table && new RegExp(`\\(shard, ${age}\\b`).test(index.indexdef),
        );
        assert.ok(walked, `${table} has no index that begins with shard and ${age}`);
      }
    }
  });
});

test("moves rows of a month without a partition into its new partition", async (t) => {
  const kit = await startKit(t, API_ONLY);
  await kit.advance(150 * DAY_SECONDS);
  await leaveTraffic(kit, 10, kit.deps.clock.now());
  const homes = async () => {
    const rows = await kit.rows(
      "select distinct tableoid::regclass::text as home from submit_attempts",
    );
    return rows.map(({ home }) => withoutShardNumber(home));
  };
  assert.deepEqual(await homes(), ["submit_attempts_default"]);
  await forgetOld(kit);
  const [moved, ...others] = await homes();
  // Citus cannot move rows between partitions.
  const expected = kit.deps.db.isDistributed ? /_default$/ : /^submit_attempts_\d{4}_\d{2}$/;
  assert.match(moved ?? "", expected);
  assert.deepEqual(others, []);
});
