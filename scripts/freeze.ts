/**
 * Freezes the migrations of a release: from then on tests refuse any change of them, and the generator writes none of
 * them. The first release also keeps the rows of a database filled by the examples.
 */

import { readMigrations } from "../packages/server/src/core/db/schema/migrate.ts";
import { startCluster } from "../packages/server/testing/cluster.ts";
import {
  type FirstVersion,
  firstVersionOfToday,
  readFirstVersion,
  writeFirstVersion,
} from "../packages/server/testing/first-version.ts";
import { readFrozen, writeFrozen } from "../packages/server/testing/frozen-migrations.ts";
import { startKit } from "../packages/server/testing/kit.ts";

async function fillDatabase(): Promise<FirstVersion> {
  const { cluster, stop } = await startCluster();
  process.env["LONGWAVE_TEST_CLUSTER"] = JSON.stringify(cluster);
  const takeDowns: (() => Promise<void>)[] = [];
  try {
    const kit = await startKit({ after: (takeDown) => void takeDowns.push(takeDown) });
    return await firstVersionOfToday(kit);
  } finally {
    for (const takeDown of takeDowns.reverse()) await takeDown();
    await stop();
  }
}

if (!readFirstVersion()) writeFirstVersion(await fillDatabase());
const frozen = readFrozen();
const fresh = (await readMigrations()).filter(({ name }) => !(name in frozen));
writeFrozen({
  ...frozen,
  ...Object.fromEntries(fresh.map(({ name, checksum }) => [name, checksum])),
});
console.log(
  fresh.length === 0 ? "Nothing is new." : `Frozen: ${fresh.map(({ name }) => name).join(", ")}`,
);
