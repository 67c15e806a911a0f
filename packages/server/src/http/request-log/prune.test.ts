import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { pruneRequestLog } from "./prune.ts";
import { deleteOldRequests, findOldOwners } from "./sql.ts";

const DAY_MS = 86_400_000;
/** More rows than one delete removes. */
const OLD = 2_500;

test("requests older than seven days are deleted, for every account and mode, and no others", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const { deps } = kit;
  const others = [await secondAccount(kit), await secondAccount(kit)];
  const now = deps.clock.now();
  const leave = async (accountId: string, mode: string, count: number, ageMs: number) => {
    const ids = Array.from({ length: count }, () => deps.ids.makeAt(now - ageMs));
    await kit.rows(
      `insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed)
       select $1, id, $2, $3, $4, 'GET', '/v1/account', 200, 1, false from unnest($5::uuid[]) id`,
      [kit.account.shard, accountId, mode, accountId, ids],
    );
  };
  await leave(kit.account.id, "test", OLD, 8 * DAY_MS);
  await leave(kit.account.id, "live", 3, 9 * DAY_MS);
  await leave(kit.account.id, "test", 5, 6 * DAY_MS);
  for (const { account } of others) await leave(account.id, "live", 2, 30 * DAY_MS);
  await leave(others[0]?.account.id ?? "", "test", 4, 0);
  await pruneRequestLog.run(deps, new AbortController().signal);
  const left = await kit.rows(
    "select account_id, mode, count(*)::int as n from request_log group by 1, 2 order by n",
  );
  assert.deepEqual(
    left.map(({ account_id, mode, n }) => [account_id, mode, n]),
    [
      [others[0]?.account.id, "test", 4],
      [kit.account.id, "test", 5],
    ],
  );
});

test("expired requests are found along the primary key, without reading the whole log", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await kit.rows(
    `insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed)
     select 0, gen_random_uuid(), md5((n % 50)::text)::uuid, 'test', md5('k')::uuid, 'GET', '/', 200, 1, false
       from generate_series(1, 20000) n`,
  );
  await kit.rows("analyze request_log");
  const id = "00000000-0000-7000-8000-000000000000";
  const plans = [
    [findOldOwners.text, ["0", `'${id}'`, "10"]],
    [deleteOldRequests.text, ["0", `'${id}'`, "'test'", `'${id}'`, "10"]],
  ] as const;
  for (const [text, values] of plans) {
    const filled = text.replaceAll(/\$(\d)/g, (_, at) => values[at - 1] ?? "");
    const rows = await kit.rows(`explain ${filled}`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.doesNotMatch(plan, /Seq Scan on request_log/, plan);
  }
});
