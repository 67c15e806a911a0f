import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutShardNumber } from "../../../../testing/citus-tables.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { until } from "../../../../testing/until.ts";
import type { Clock } from "../../platform/clock.ts";
import { firstUuidAt } from "../../platform/ids.ts";
import {
  maintainPartitions,
  monthAt,
  PARTITIONED_TABLES,
  type PartitionedTable,
} from "./partitions.ts";

const DAY_SECONDS = 86_400;
const API_ONLY = { LONGWAVE_ROLES: "api" };

const insertEvent = (kit: Kit, ms: number) =>
  kit.rows(
    "insert into events (shard, account_id, seq, id, type, mode, data, created_at) values ($1, $2, $3, $4, 'test', 'test', '{}', $5)",
    [kit.account.shard, kit.account.id, ms, firstUuidAt(ms), new Date(ms)],
  );

const maintain = (kit: Kit, clock: Clock, tables?: readonly PartitionedTable[]) =>
  kit.deps.asOwner((db) => maintainPartitions({ ...kit.deps, db, clock }, tables));

const partitionsOf = async (kit: Kit, table: string): Promise<string[]> => {
  const rows = await kit.rows(
    "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1",
    [table],
  );
  return rows.map((row) => row.name);
};

const homesOf = async (kit: Kit): Promise<string[]> => {
  const rows = await kit.rows(
    "select tableoid::regclass::text as home from events where type = 'test' order by id",
  );
  return rows.map((row) => withoutShardNumber(row.home));
};

const nameAt = (table: string, ms: number, ahead: number) =>
  `${table}_${new Date(monthAt(ms, ahead).startMs).toISOString().slice(0, 7).replace("-", "_")}`;

test("every partitioned table has its monthly partitions and is in the list", async (t) => {
  const kit = await startKit(t);
  const rows = await kit.rows(
    "select c.relname as name from pg_partitioned_table p join pg_class c on c.oid = p.partrelid order by 1",
  );
  assert.deepEqual(
    rows.map((row) => row.name),
    PARTITIONED_TABLES.map((table) => table.table).sort(),
  );
  const now = kit.deps.clock.now();
  for (const { table } of PARTITIONED_TABLES) {
    assert.deepEqual(await partitionsOf(kit, table), [
      nameAt(table, now, 0),
      nameAt(table, now, 1),
      nameAt(table, now, 2),
      `${table}_default`,
    ]);
  }
});

test("batch recipients have room for HOT updates in every partition", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const rows = await kit.rows(
    `select c.reloptions as options from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'batch_recipients'::regclass order by c.relname`,
  );
  const rarelyAnalyzed = ["fillfactor=45", "autovacuum_analyze_scale_factor=1"];
  assert.deepEqual(
    rows.map((row) => row.options),
    [rarelyAnalyzed, rarelyAnalyzed, rarelyAnalyzed, ["fillfactor=45"]],
  );
});

test("rows go to the partition of their id's month, to the millisecond", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const { startMs, endMs } = monthAt(kit.deps.clock.now(), 1);
  for (const ms of [startMs - 1, startMs, endMs - 1, endMs]) await insertEvent(kit, ms);
  assert.deepEqual(await homesOf(kit), [
    nameAt("events", startMs, -1),
    nameAt("events", startMs, 0),
    nameAt("events", startMs, 0),
    nameAt("events", startMs, 1),
  ]);
});

test("rows older than their partition move into it", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const { startMs } = monthAt(kit.deps.clock.now(), 4);
  await insertEvent(kit, startMs);
  await insertEvent(kit, monthAt(startMs, 1).startMs);
  assert.deepEqual(await homesOf(kit), ["events_default", "events_default"]);
  const clock = { ...kit.deps.clock, now: () => monthAt(startMs, -2).startMs };
  await maintain(kit, clock);
  // Citus cannot move rows between partitions: early rows stay, and the partition is not created.
  const { isDistributed } = kit.deps.db;
  const month = nameAt("events", startMs, 0);
  assert.equal((await partitionsOf(kit, "events")).includes(month), !isDistributed);
  assert.deepEqual(await homesOf(kit), [
    isDistributed ? "events_default" : month,
    "events_default",
  ]);
});

test("two processes creating partitions at once do not conflict", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const later = kit.deps.clock.now() + 200 * DAY_SECONDS * 1_000;
  const clock = { ...kit.deps.clock, now: () => later };
  await Promise.all(Array.from({ length: 4 }, () => maintain(kit, clock)));
  assert.equal((await partitionsOf(kit, "messages")).includes(nameAt("messages", later, 2)), true);
});

test("drops expired months, and expired rows of the default partition", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const start = kit.deps.clock.now();
  const tables: PartitionedTable[] = [{ table: "events", key: "id", keepDays: 30 }];
  const { startMs, endMs } = monthAt(start);
  await insertEvent(kit, startMs - 400 * DAY_SECONDS * 1_000);
  await insertEvent(kit, startMs);
  await insertEvent(kit, endMs);
  const at = (now: number) => maintain(kit, { ...kit.deps.clock, now: () => now }, tables);
  await at(endMs + 30 * DAY_SECONDS * 1_000 - 1);
  assert.deepEqual(await homesOf(kit), [
    nameAt("events", startMs, 0),
    nameAt("events", startMs, 1),
  ]);
  await at(endMs + 30 * DAY_SECONDS * 1_000);
  assert.deepEqual(await homesOf(kit), [nameAt("events", startMs, 1)]);
  assert.equal((await partitionsOf(kit, "events")).includes(nameAt("events", startMs, 0)), false);
});

test("partitions follow the test clock", async (t) => {
  const kit = await startKit(t);
  await kit.advance(95 * DAY_SECONDS);
  const name = nameAt("messages", kit.deps.clock.now(), 2);
  await until(async () => (await partitionsOf(kit, "messages")).includes(name));
});
