import { Problem } from "@longwave/contract";
import { accountOf, auditOf, readAccounts } from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import {
  type BlockRow,
  listAllBlocks,
  prefixKey,
  presentBlock,
  resetServiceLoss,
  SERVICE_OWNER,
} from "../../messaging/verify/index.ts";

type Names = "operator.verifyBlocks.list" | "operator.verifyBlocks.delete";

const liftBlocks = statement(
  "lift_verification_blocks",
  `delete from verification_blocks b
    where b.prefix = $1 and b.blocked_until > $2
      and ($3::uuid is null or b.account_id = $3)
   returning b.*`,
  { acrossShards: "an operator lifts a block for every account" },
);

/** Deletes the counters of a prefix and of the number blocks within it. */
const deleteCounters = statement(
  "delete_verification_counters",
  `delete from verification_counters
    where shard = $1 and account_id = $2 and mode = $3 and key >= $4 collate "C" and key < $5 collate "C"`,
);

export const operatorVerifyHandlers: HandlersOf<Names> = {
  "operator.verifyBlocks.list": async ({ deps }, { query }) => {
    const accountId = await filterOf(deps.db, query.account_id);
    return { status: 200, body: await listAllBlocks(deps, accountId, query) };
  },

  "operator.verifyBlocks.delete": async ({ deps, caller, ip, transact }, { params, query }) =>
    transact(async (tx) => {
      const accountId = await filterOf(tx, query.account_id);
      const now = deps.clock.now();
      const values = [params.prefix, new Date(now), accountId];
      const rows = await tx.query<BlockRow>(liftBlocks, values);
      if (rows.length === 0) {
        throw new Problem("not_found", `${params.prefix.slice(0, 20)} is not blocked.`);
      }
      const inOrder = rows.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1));
      const accounts = await readAccounts(
        tx,
        inOrder.map((row) => row.account_id),
      );
      for (const row of inOrder) {
        if (row.account_id === SERVICE_OWNER.accountId) {
          await resetServiceLoss(tx, now);
          deps.log.warn({ ip }, "verify: operator lifted block of service numbers");
        }
        const { key } = prefixKey(row.prefix);
        await tx.query(deleteCounters, [row.shard, row.account_id, row.mode, key, `${key}:`]);
        const account = accounts.get(row.account_id);
        if (!account) continue;
        const changes = { mode: row.mode, rule: row.rule };
        const by = auditOf(account, "verify_block.lifted", { caller, ip });
        await record(deps, tx, { ...by, targetId: row.prefix, changes });
      }
      const data = inOrder.map(presentBlock);
      const body = {
        object: "lifted_blocks" as const,
        prefix: params.prefix,
        lifted: rows.length,
        data,
      };
      return { status: 200, body };
    }),
};

async function filterOf(db: Queryable, apiId: string | undefined): Promise<string | null> {
  if (apiId === undefined) return null;
  if (fromApiId("account", apiId) === null) throw noAccount();
  return (await accountOf(db, apiId).catch(() => Promise.reject(noAccount()))).id;
}

function noAccount(): Problem {
  return new Problem(
    "invalid_request",
    "account_id names no account. GET /operator/v1/accounts lists them.",
    { param: "account_id" },
  );
}
