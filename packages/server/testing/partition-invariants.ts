import assert from "node:assert/strict";
import { PARTITIONED_TABLES } from "../src/core/db/schema/partitions.ts";
import { firstUuidAt } from "../src/core/platform/ids.ts";
import type { Kit } from "./kit.ts";

const DAY_MS = 86_400_000;
const MONTHS_AHEAD = 2;

/**
 * Asserts that exactly the months within retention, and the next two, have partitions, and that default
 * partitions are empty. `sinceMs` is when the installation was created.
 */
export async function assertPartitions(kit: Kit, sinceMs: number): Promise<void> {
  const now = kit.deps.clock.now();
  for (const { table, keepDays } of PARTITIONED_TABLES) {
    const partitions = await kit.rows(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = '${table}'::regclass and c.relname <> '${table}_default' order by 1`,
    );
    const retainedSinceMs =
      keepDays === null ? sinceMs : Math.max(sinceMs, now - keepDays * DAY_MS);
    const expected = monthsBetween(retainedSinceMs, now).map((month) => `${table}_${month}`);
    assert.deepEqual(
      partitions.map(({ name }) => name),
      expected,
    );
    const stray = await kit.rows(`select 1 from ${table}_default limit 1`);
    assert.deepEqual(stray, [], `${table}_default`);
  }
}

function monthsBetween(sinceMs: number, now: number): string[] {
  const first = new Date(sinceMs);
  const months: string[] = [];
  for (let ahead = 0; ; ahead += 1) {
    const month = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + ahead, 1);
    const last = new Date(now);
    const lastMs = Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + MONTHS_AHEAD, 1);
    if (month > lastMs) return months;
    months.push(new Date(month).toISOString().slice(0, 7).replace("-", "_"));
  }
}

/** Asserts that tables with daily rows still have rows of the first day within retention. */
export async function assertRetained(kit: Kit, tables: readonly string[]): Promise<void> {
  const now = kit.deps.clock.now();
  for (const { table, key, keepDays } of PARTITIONED_TABLES) {
    if (keepDays === null || !tables.includes(table)) continue;
    // Rows of the oldest day came at its beginning.
    const from = firstUuidAt(now - (keepDays - 1) * DAY_MS);
    const old = await kit.rows(`select 1 from ${table} where ${key} < $1::uuid limit 1`, [from]);
    assert.equal(old.length, 1, `${table} has nothing of ${keepDays} days ago`);
  }
}
