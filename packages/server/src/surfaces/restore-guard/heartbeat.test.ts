import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { until } from "../../../testing/until.ts";
import { createIdentityGuard, readIdentity } from "../../core/db/driver/database-identity.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { readLastSeenFile } from "./last-seen-file.ts";

/** A heartbeat that has written once, on its own installation. */
async function beating(t: TestContext) {
  const kit = await startKit(t);
  const folder = await temporaryFolder(t);
  const { home, timeline } = await readIdentity(kit.deps.db);
  await kit.rows("update database_identity set home = $1, timeline = $2", [home, timeline]);
  const guard = createIdentityGuard({ home, timeline: timeline ?? 0, lastHeartbeatAtMs: 0 });
  const heart = startHeartbeat(kit.deps, guard, { folder, onHeld: () => {} });
  await until(async () => (await readLastSeenFile(folder)) !== null);
  return { kit, folder, heart };
}

async function lastHeartbeatAtMs(kit: Kit): Promise<number> {
  const [row] = await kit.rows(
    "select floor(extract(epoch from heartbeat_at) * 1000)::float8 as ms from database_identity",
  );
  return row.ms;
}

test("a stop writes a last heartbeat, so that any earlier state of the database is recognized as older", async (t) => {
  const { kit, folder, heart } = await beating(t);
  const before = await lastHeartbeatAtMs(kit);
  await heart.stop();
  const after = await lastHeartbeatAtMs(kit);
  assert.ok(after > before, `${after} is not after ${before}`);
  assert.equal((await readLastSeenFile(folder))?.lastHeartbeatAtMs, after);
});

test("a stop writes nothing while the restore guard is set", async (t) => {
  const { kit, folder, heart } = await beating(t);
  const seen = await readLastSeenFile(folder);
  await kit.rows("update database_identity set held_since = now(), held_reason = 'a test'");
  await heart.stop();
  assert.deepEqual(await readLastSeenFile(folder), seen);
});
