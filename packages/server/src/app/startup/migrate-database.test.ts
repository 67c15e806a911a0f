import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { testCluster, withAdmin } from "../../../testing/cluster.ts";
import { readMigrations } from "../../core/db/schema/migrate.ts";
import { systemClock } from "../../core/platform/clock.ts";
import { createLog } from "../../core/platform/log.ts";
import { migrateDatabase } from "./migrate-database.ts";

function memoryLog(level: "debug" | "info") {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLog({ level, destination }) };
}

test("migrations print one line, with a debug log line per file, and nothing if none is missing", async (t) => {
  const cluster = await testCluster();
  const files = (await readMigrations()).map(({ name }) => name);
  for (const level of ["debug", "info"] as const) {
    const database = `migrate_database_${level}_${process.pid}`;
    await withAdmin(cluster, (admin) => admin.query(`create database ${database}`));
    t.after(() =>
      withAdmin(cluster, (admin) => admin.query(`drop database ${database} with (force)`)),
    );
    const owner = { ...cluster.connection, database };
    const migrateOnce = async () => {
      const said: string[] = [];
      const { lines, log } = memoryLog(level);
      const say = (line: string) => void said.push(line);
      await migrateDatabase({ owner, application: null }, { clock: systemClock(), log, say });
      return { said, logged: lines };
    };
    const first = await migrateOnce();
    assert.equal(first.said.length, 1, first.said.join("\n"));
    assert.match(
      String(first.said[0]),
      new RegExp(`^Migrated: ${files.length} files in \\d+\\.\\d s\\.$`),
    );
    const named = files.filter((name) => first.logged.some((line) => line.includes(name)));
    assert.deepEqual(named, level === "debug" ? files : []);
    if (level === "info") assert.deepEqual(first.logged, []);
    assert.deepEqual(await migrateOnce(), { said: [], logged: [] });
  }
});
