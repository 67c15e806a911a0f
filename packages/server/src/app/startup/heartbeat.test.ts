import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Kit, startKit } from "../../testing/kit.ts";
import { temporaryFolder } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import { createHomeGuard, readHome } from "../db/home.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { readStamp } from "./stamp.ts";

/** A heart that has beaten once, of an installation of its own. */
async function beating(t: TestContext) {
  const kit = await startKit(t);
  const folder = await temporaryFolder(t);
  const { home, timeline } = await readHome(kit.deps.db);
  await kit.rows("update database_home set home = $1, timeline = $2", [home, timeline]);
  const guard = createHomeGuard({ home, timeline: timeline ?? 0, beatenAtMs: 0 });
  const heart = startHeartbeat(kit.deps, guard, { folder, onHeld: () => {} });
  await until(async () => (await readStamp(folder)) !== null);
  return { kit, folder, heart };
}

async function beatenAtMs(kit: Kit): Promise<number> {
  const [row] = await kit.rows(
    "select floor(extract(epoch from beaten_at) * 1000)::float8 as ms from database_home",
  );
  return row.ms;
}

test("a stop is the last beat: a database of any moment before it is older than the folder knows", async (t) => {
  const { kit, folder, heart } = await beating(t);
  const before = await beatenAtMs(kit);
  await heart.stop();
  const after = await beatenAtMs(kit);
  assert.ok(after > before, `${after} is not after ${before}`);
  assert.equal((await readStamp(folder))?.beatenAtMs, after);
});

test("a stop on a database that is on hold writes nothing down", async (t) => {
  const { kit, folder, heart } = await beating(t);
  const seen = await readStamp(folder);
  await kit.rows("update database_home set held_since = now(), held_reason = 'a test'");
  await heart.stop();
  assert.deepEqual(await readStamp(folder), seen);
});
