import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { retention } from "./housekeeping.ts";

const signal = new AbortController().signal;

test("expired rows are deleted, and no others", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const { shard, id } = kit.account;
  const now = kit.deps.clock.now();
  const insertKeys = (count: number, name: string, expiresAt: number) =>
    kit.rows(
      `insert into idempotency_keys (shard, account_id, mode, key_hash, fingerprint, created_at, expires_at)
       select $1, $2, 'test', convert_to($3 || n, 'UTF8'), '', now(), $4 from generate_series(1, $5::int) n`,
      [shard, id, name, new Date(expiresAt), count],
    );
  // More than one chunk.
  await insertKeys(6_000, "old", now - 1_000);
  await insertKeys(2, "new", now + 60_000);
  const insertJob = (task: string, failedAt: number | null) =>
    kit.rows(
      "insert into jobs (shard, id, task, payload, run_at, created_at, failed_at) values ($1, $2, $3, '{}', now(), now(), $4)",
      [shard, kit.deps.ids.make(), task, failedAt === null ? null : new Date(failedAt)],
    );
  await insertJob("waiting", null);
  await insertJob("failed", now - 29 * 86_400_000);
  await insertJob("failed long ago", now - 31 * 86_400_000);
  await retention.run(kit.deps, signal);
  const [keys] = await kit.rows("select count(*)::int as n from idempotency_keys");
  assert.equal(keys.n, 2);
  const jobs = await kit.rows("select task from jobs order by task");
  assert.deepEqual(
    jobs.map((job) => job.task),
    ["failed", "waiting"],
  );
});
