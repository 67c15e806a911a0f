/**
 * Freezes the migrations as they are: from now on a test refuses any change of them. The first time
 * a database is made and filled, and its rows are kept, so that every later version is tried on them.
 */

import { readMigrations } from "../packages/server/src/db/migrate.ts";
import { startCluster } from "../packages/server/testing/cluster.ts";
import {
  type FirstRows,
  fillWithExamples,
  freeze,
  isFrozen,
  readRows,
} from "../packages/server/testing/first-version.ts";
import { startKit } from "../packages/server/testing/kit.ts";

async function rowsOfAFilledDatabase(): Promise<FirstRows> {
  const { cluster, stop } = await startCluster();
  process.env["LONGWAVE_TEST_CLUSTER"] = JSON.stringify(cluster);
  const takeDowns: (() => Promise<void>)[] = [];
  try {
    const kit = await startKit({ after: (takeDown) => void takeDowns.push(takeDown) });
    const keys = await fillWithExamples(kit);
    return { keys, tables: await readRows(kit.connection) };
  } finally {
    for (const takeDown of takeDowns.reverse()) await takeDown();
    await stop();
  }
}

const rows = isFrozen() ? null : await rowsOfAFilledDatabase();
const names = freeze(await readMigrations(), rows);
console.log(names.length === 0 ? "Nothing is new." : `Frozen: ${names.join(", ")}`);
