import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../testing/kit.ts";
import { temporaryFolder } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import { createHomeGuard, readHome } from "../db/home.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { readStamp } from "./stamp.ts";

const BEATEN =
  "select floor(extract(epoch from beaten_at) * 1000)::float8 as ms, held_reason from database_home";

test("a stop is the last beat: a database of any moment before it is older than the folder knows", async (t) => {
  const kit = await startKit(t);
  const folder = await temporaryFolder(t);
  const { home, timeline } = await readHome(kit.deps.db);
  await kit.rows("update database_home set home = $1, timeline = $2", [home, timeline]);
  const guard = createHomeGuard({ home, timeline: timeline ?? 0, beatenAtMs: 0 });
  const onHeld = (sentence: string) => assert.fail(sentence);
  const heart = startHeartbeat(kit.deps, guard, { folder, onHeld });
  await until(async () => (await readStamp(folder)) !== null);
  const [before] = await kit.rows(BEATEN);
  await heart.stop();
  const [after] = await kit.rows(BEATEN);
  assert.ok(after.ms > before.ms, `${after.ms} is not after ${before.ms}`);
  assert.equal((await readStamp(folder))?.beatenAtMs, after.ms);
});

test("a stop on a database that is on hold writes nothing down", async (t) => {
  const kit = await startKit(t);
  const folder = await temporaryFolder(t);
  const { home, timeline } = await readHome(kit.deps.db);
  await kit.rows("update database_home set home = $1, timeline = $2", [home, timeline]);
  const guard = createHomeGuard({ home, timeline: timeline ?? 0, beatenAtMs: 0 });
  const heart = startHeartbeat(kit.deps, guard, { folder, onHeld: () => {} });
  await until(async () => (await readStamp(folder)) !== null);
  const seen = await readStamp(folder);
  await kit.rows("update database_home set held_since = now(), held_reason = 'a test'");
  await heart.stop();
  assert.deepEqual(await readStamp(folder), seen);
});
